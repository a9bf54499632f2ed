import { createTestProxyContext } from '@portolan/plugin-testing';
import { type TokenExchangeConfig, tokenExchange } from '@portolan/proxy-token-exchange';
import { expect } from 'chai';
import { HttpBackendUnderTest } from '../../../packages/proxy/test/support/http-backend.ts';
import { send } from '../../../packages/proxy/test/support/http-client.ts';
import { Proxies } from '../../../packages/proxy/test/support/proxy-under-test.ts';
import { speakHttp } from '../../../packages/proxy/test/support/spoken-to.ts';
import { tokenProvider } from '../../../packages/proxy/test/support/token-provider.ts';
import {
  type ExchangeResponder,
  answerToken,
  ExchangeEndpoint,
} from '../../../plugins/proxy-token-exchange/test/exchange-endpoint.ts';

const CALL = '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"plain","arguments":{}}}';
const CALLERS = {
  ada: { subject: 'ada', claims: { iss: 'https://id.example' } },
  bob: { subject: 'bob', claims: { iss: 'https://id.example' } },
  local: { subject: 'me', claims: {}, provider: 'local-user' },
};

describe('token exchange of the proxy', () => {
  const proxies = new Proxies();
  const opened: (() => Promise<void>)[] = [];
  afterEach(async () => {
    await proxies.close();
    for (const close of opened.splice(0)) await close();
  });

  async function open(settings: Partial<TokenExchangeConfig> = {}, answer: ExchangeResponder = answerToken) {
    const endpoint = await ExchangeEndpoint.open(answer);
    const backend = await HttpBackendUnderTest.start(speakHttp);
    opened.push(endpoint.close, () => backend.close());
    const config: TokenExchangeConfig = {
      token_url: endpoint.url,
      subject_token_type: 'access_token',
      header_strategy: 'replace',
      allow_private_ip: true,
      insecure_allow_http: false,
      ...settings,
    };
    const context = createTestProxyContext({ secret: (reference) => `value of ${reference}` });
    const instance = await tokenExchange.create(config, context);
    const { url } = await proxies.open(
      {
        carries: 'http',
        transport: 'streamable-http',
        target: new URL('/mcp', backend.url),
        isRemote: false,
      },
      {
        middleware: [{ name: 'token-exchange', placed: tokenExchange.placed, instance }],
        authProvider: tokenProvider(CALLERS),
      },
    );
    const ask = async (caller: keyof typeof CALLERS, init: object = {}) =>
      await send(url, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${caller}` },
        body: CALL,
        ...init,
      });
    return { endpoint, backend, ask, url };
  }

  it('sends the server a token of its own for each caller, and nothing of the token of the caller', async () => {
    const { endpoint, backend, ask } = await open({
      client_id: 'proxy',
      client_secret: 'NAME,target=x',
      audience: 'backend',
      scopes: ['a', 'b'],
      subject_token_type: 'id_token',
    });
    for (const caller of ['ada', 'bob', 'ada'] as const) {
      expect((await ask(caller)).status).to.equal(200);
      const got = backend.received.at(-1);
      expect(got?.headers.authorization).to.equal(`Bearer for-${caller}`);
      expect(JSON.stringify(got?.rawHeaders)).not.to.include(`"Bearer ${caller}"`);
    }
    expect(endpoint.asked).to.have.length(2);
    const [first] = endpoint.asked;
    expect(Object.fromEntries(first?.form ?? [])).to.include({
      subject_token: 'ada',
      subject_token_type: 'urn:ietf:params:oauth:token-type:id_token',
      audience: 'backend',
      scope: 'a b',
    });
    const login = Buffer.from('proxy:value+of+NAME%2Ctarget%3Dx').toString('base64');
    expect(first?.headers.authorization).to.equal(`Basic ${login}`);
    await ask('ada', { method: 'DELETE', body: undefined });
    expect(backend.received.at(-1)?.headers.authorization).to.equal('Bearer for-ada');
  });

  it('custom header › keeps the token of the caller, and replaces a header that the caller forges', async () => {
    const { backend, ask } = await open({
      header_strategy: 'custom',
      external_token_header_name: 'X-Upstream-Token',
    });
    const headers = {
      'Content-Type': 'application/json',
      Authorization: 'Bearer ada',
      'x-upstream-token': 'Bearer forged',
    };
    await ask('ada', { headers });
    expect(backend.received.at(-1)?.headers).to.include({
      authorization: 'Bearer ada',
      'x-upstream-token': 'Bearer for-ada',
    });
  });

  it('reports a failed exchange as a JSON-RPC error without the reason, and sends nothing to the server', async () => {
    const { backend, ask } = await open(
      {},
      (response) => void response.writeHead(400).end('{"error":"x_y"}'),
    );
    const answer = await ask('ada');
    expect([answer.status, answer.json]).to.deep.equal([
      200,
      { jsonrpc: '2.0', id: 7, error: { code: 403, message: 'Token exchange failed' } },
    ]);
    expect(answer.headers['www-authenticate']).to.equal(undefined);
    expect(backend.received).to.have.length(0);
  });

  it('exchanges nothing when callers are not authenticated', async () => {
    const { endpoint, ask } = await open();
    expect((await ask('local')).status).to.equal(200);
    expect(endpoint.asked).to.have.length(0);
  });

  it('connects to no private address, unless the setting allows it', async () => {
    const { endpoint, ask } = await open({ allow_private_ip: false });
    expect((await ask('ada')).json.error.code).to.equal(403);
    expect(endpoint.asked).to.have.length(0);
  });

  it('exchanges again after the server has refused the cached token', async () => {
    const { endpoint, backend, ask } = await open();
    await ask('ada');
    backend.handle = (_request, response) => void response.writeHead(401).end();
    expect((await ask('ada')).status).to.equal(401);
    expect(endpoint.asked).to.have.length(1);
    await ask('ada');
    expect(endpoint.asked).to.have.length(2);
  });
});
