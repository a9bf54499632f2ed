import { openFetch } from '@portolan/outbound';
import { expect } from 'chai';
import { RegistryClient } from '../src/registry-client/registry-client.ts';
import { parseServerAddress } from '../src/registry-client/server-address.ts';
import { refusal, StubRegistry } from './support/stub-registry.ts';

describe('RegistryClient', () => {
  let stub: StubRegistry;
  before(async () => {
    stub = await StubRegistry.start(() => ({ status: 200, body: {} }));
  });
  after(async () => {
    await stub.stop();
  });
  const clients: RegistryClient[] = [];
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.close();
  });
  const connect = (options: { url?: string; token?: string; timeoutMs?: number } = {}) => {
    const client = new RegistryClient(
      { openFetch, environment: {}, version: '1' },
      {
        address: parseServerAddress(options.url ?? stub.url, { allowInsecure: false }),
        token: options.token,
        timeoutMs: options.timeoutMs ?? 10_000,
      },
    );
    clients.push(client);
    return client;
  };
  const failure = async (asked: Promise<unknown>): Promise<unknown> =>
    asked.then(
      () => 'fulfilled',
      (error: unknown) => error,
    );

  it('sends token, body and query, and keeps an escaped slash', async () => {
    stub.answers(() => ({ status: 200, body: { done: true }, headers: { ETag: '"r1"' } }));
    const client = connect({ url: `${stub.url}/behind/`, token: 'sesame' });
    const reply = await client.ask({
      method: 'PUT',
      path: '/v1/entries/server/com.acme%2Fnotes/claims',
      query: { source: 'a b', cursor: undefined },
      body: { claims: {} },
      ifMatch: '"r0"',
    });
    expect(reply).to.deep.equal({ status: 200, body: { done: true }, etag: '"r1"' });
    const [request] = stub.seen;
    expect(request).to.deep.include({
      method: 'PUT',
      path: '/behind/v1/entries/server/com.acme%2Fnotes/claims',
      query: { source: 'a b' },
      body: { claims: {} },
    });
    expect(request?.headers).to.include({
      authorization: 'Bearer sesame',
      'content-type': 'application/json',
      'user-agent': 'portolan/1',
      'if-match': '"r0"',
    });
  });

  it('takes an answer without a body', async () => {
    stub.answers(() => ({ status: 204 }));
    expect((await connect().ask({ method: 'DELETE', path: '/' })).body).to.equal(undefined);
  });

  it('throws the sentence, the issues and the hint of a refusal', async () => {
    const issues = [
      { type: 'schema', path: 'packages[0].identifier', message: 'is missing', severity: 'error' },
    ];
    stub.answers(() =>
      refusal(400, 'ERR_DOCUMENT_INVALID', 'The document breaks rules.', { issues, hint: 'Mend it.' }),
    );
    const error = await failure(connect().ask({ method: 'POST', path: '/v1/entries', body: {} }));
    expect(error).to.include({ code: 'ERR_SERVER_REFUSED', hint: 'Mend it.' });
    expect(error).to.have.property(
      'message',
      'The document breaks rules.\n  packages[0].identifier  is missing',
    );
  });

  it('prints nothing of an answer that would move the cursor', async () => {
    stub.answers(() => refusal(400, 'ERR_X', 'Bad \u001B[2J\u001B]0;title\u0007name\r\n.'));
    const error = await failure(connect().ask({ method: 'GET', path: '/' }));
    expect(error)
      .to.have.property('message')
      .that.matches(/^[\x20-\x7E]+$/);
  });

  const hints = [
    { title: 'names the flag when there was no token', status: 401, token: undefined, hint: '--token-file' },
    {
      title: 'names the explanation when the token was refused',
      status: 401,
      token: 'x',
      hint: 'claims explain',
    },
    {
      title: 'names the explanation when access was refused',
      status: 403,
      token: 'x',
      hint: 'claims explain',
    },
    { title: 'says what to do about a changed resource', status: 412, token: 'x', hint: 'read it again' },
    { title: 'names the request id of a failure', status: 500, token: 'x', hint: 'request id r-1' },
  ];
  for (const { title, status, token, hint } of hints) {
    it(title, async () => {
      stub.answers(() => refusal(status, 'ERR_X', 'No.'));
      const client = connect(token === undefined ? {} : { token });
      expect(await failure(client.ask({ method: 'GET', path: '/' })))
        .to.have.property('hint')
        .that.includes(hint);
    });
  }

  it('does not follow a redirect with the token', async () => {
    const other = await StubRegistry.start(() => ({ status: 200, body: {} }));
    try {
      stub.answers(() => ({ status: 307, headers: { Location: other.url } }));
      const error = await failure(connect({ token: 'sesame' }).ask({ method: 'GET', path: '/v1/me' }));
      expect(error).to.have.property('code', 'ERR_SERVER_ANSWER');
      expect(String(error)).to.include('a redirect (307)');
      expect(other.seen).to.deep.equal([]);
    } finally {
      await other.stop();
    }
  });

  const strange = [
    { title: 'a page', answer: { status: 200, body: '<html>' }, says: '200 and text/html; expected JSON' },
    { title: 'a page of a failure', answer: { status: 502, body: 'Bad gateway' }, says: '502 and text/html' },
    { title: 'a failure without a body', answer: { status: 404 }, says: '404 and nothing' },
    { title: 'JSON that is no error', answer: { status: 400, body: [1] }, says: '400 and application/json' },
  ];
  for (const { title, answer, says } of strange) {
    it(`says that ${title} is no answer of a registry server`, async () => {
      stub.answers(() => answer);
      const error = await failure(connect().ask({ method: 'GET', path: '/v1/me' }));
      expect(error).to.have.property('code', 'ERR_SERVER_ANSWER');
      expect(String(error)).to.include('GET /v1/me').and.to.include(says);
    });
  }

  it('asks a busy server again', async () => {
    stub.answers(() =>
      stub.seen.length < 3
        ? { ...refusal(503, 'ERR_STORE_BUSY', 'Busy.'), headers: { 'Retry-After': '0' } }
        : { status: 200, body: {} },
    );
    await connect().ask({ method: 'POST', path: '/v1/entries', body: {} });
    expect(stub.seen).to.have.length(3);
  });

  it('gives up on a server that stays busy', async () => {
    stub.answers(() => ({
      ...refusal(429, 'ERR_TOO_MANY_REQUESTS', 'Slowly.'),
      headers: { 'Retry-After': '0' },
    }));
    const error = await failure(connect().ask({ method: 'GET', path: '/' }));
    expect(error).to.have.property('message', 'Slowly.');
    expect(stub.seen).to.have.length(4);
  });

  it('does not ask again without being told to', async () => {
    stub.answers(() => refusal(503, 'ERR_DATABASE_UNAVAILABLE', 'No database.'));
    await failure(connect().ask({ method: 'GET', path: '/' }));
    expect(stub.seen).to.have.length(1);
  });

  it('says when a server does not answer in time', async () => {
    stub.answers(() => 'never');
    const error = await failure(connect({ timeoutMs: 50 }).ask({ method: 'GET', path: '/' }));
    expect(error).to.have.property('code', 'ERR_SERVER_TIMEOUT');
    expect(String(error)).to.include('did not answer within 0.05 s');
  });

  it('says that a proxy variable names no proxy, and closes all the same', async () => {
    const client = new RegistryClient(
      { openFetch, environment: { http_proxy: 'ftp://proxy.acme.example' }, version: '1' },
      { address: new URL(stub.url), token: undefined, timeoutMs: 10_000 },
    );
    expect(await failure(client.ask({ method: 'GET', path: '/' }))).to.have.property(
      'code',
      'ERR_PROXY_INVALID',
    );
    await client.close();
  });

  it('says when nothing listens, and when the connection is cut', async () => {
    const gone = await StubRegistry.start(() => ({ status: 200 }));
    const { url } = gone;
    await gone.stop();
    const refused = await failure(connect({ url }).ask({ method: 'GET', path: '/' }));
    expect(refused).to.have.property('code', 'ERR_SERVER_UNREACHABLE');
    expect(String(refused)).to.include('nothing listens there');
    stub.answers(() => 'cut');
    expect(String(await failure(connect().ask({ method: 'GET', path: '/' })))).to.include(
      'the connection was cut',
    );
  });
});
