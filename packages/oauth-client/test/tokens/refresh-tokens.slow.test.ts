import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { openFetch } from '@portolan/outbound';
import { expect } from 'chai';
import { configurationOf, type OauthClient } from '../../src/registration/oauth-client.ts';
import { refreshTokens } from '../../src/tokens/refresh-tokens.ts';
import { OauthWeb } from '../../src/web/oauth-web.ts';

describe('refreshTokens', () => {
  let server: Server;
  let web: OauthWeb;
  let issuer: string;
  let answer: { readonly status: number; readonly body: string; readonly headers?: Record<string, string> };

  let authorization: string | undefined;

  before(async () => {
    server = createServer((request, response) => {
      authorization = request.headers.authorization;
      const { status, body, headers } = answer;
      response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    // SAFETY: a server that listens on a port has an address of this form.
    issuer = `http://localhost:${(server.address() as AddressInfo).port}`;
    web = await OauthWeb.open({ named: [issuer], openFetch, environment: {} });
  });
  after(async () => {
    await web.close();
    server.close();
    server.closeAllConnections();
    await once(server, 'close');
  });

  const good = { access_token: 'a', token_type: 'Bearer', expires_in: 60 };
  const cases: readonly {
    readonly title: string;
    readonly status: number;
    readonly body: unknown;
    readonly headers?: Record<string, string>;
    readonly ends: 'ERR_LOGIN_EXPIRED' | 'ERR_LOGIN_TOKEN' | 'ERR_LOGIN_REFUSED';
  }[] = [
    {
      title: 'an expired refresh token',
      status: 400,
      body: { error: 'invalid_grant' },
      ends: 'ERR_LOGIN_EXPIRED',
    },
    {
      title: 'an unknown client',
      status: 401,
      body: { error: 'invalid_client' },
      ends: 'ERR_LOGIN_EXPIRED',
    },
    { title: 'an overloaded server', status: 503, body: 'busy', ends: 'ERR_LOGIN_TOKEN' },
    {
      title: 'a rate limit',
      status: 429,
      body: { error: 'slow_down' },
      ends: 'ERR_LOGIN_TOKEN',
    },
    {
      title: 'a server_error response',
      status: 500,
      body: { error: 'server_error' },
      ends: 'ERR_LOGIN_TOKEN',
    },
    { title: 'a refusal without a code', status: 400, body: 'no', ends: 'ERR_LOGIN_TOKEN' },
    { title: 'a response that is not JSON', status: 200, body: '<html>', ends: 'ERR_LOGIN_TOKEN' },
    {
      title: 'a response without a token',
      status: 200,
      body: { token_type: 'Bearer' },
      ends: 'ERR_LOGIN_TOKEN',
    },
    {
      title: 'a redirect',
      status: 302,
      body: '',
      headers: { location: 'https://id.example/' },
      ends: 'ERR_LOGIN_TOKEN',
    },
    {
      title: 'a response of 3 MB',
      status: 200,
      body: { ...good, x: 'x'.repeat(3_000_000) },
      ends: 'ERR_LOGIN_TOKEN',
    },
    {
      title: 'a token with a line break',
      status: 200,
      body: { ...good, access_token: 'a\r\nX-Y: z' },
      ends: 'ERR_LOGIN_REFUSED',
    },
    {
      title: 'an unsupported token type',
      status: 200,
      body: { ...good, token_type: 'DPoP' },
      ends: 'ERR_LOGIN_REFUSED',
    },
  ];
  for (const { title, status, body, headers = {}, ends } of cases) {
    it(`classifies ${title}: ${ends}`, async () => {
      answer = { status, body: typeof body === 'string' ? body : JSON.stringify(body), headers };
      expect(await outcome()).to.equal(ends);
    });
  }

  it('keeps the refresh token when the server returns no new one', async () => {
    answer = { status: 200, body: JSON.stringify(good) };
    expect(await outcome()).to.equal('before');
    answer = { status: 200, body: JSON.stringify({ ...good, refresh_token: 'after' }) };
    expect(await outcome()).to.equal('after');
  });

  for (const [clientId, clientSecret, pair] of [
    ['pre-registered_client.7', 'a*b', 'pre-registered_client.7:a*b'],
    ['a:b c', 'ä%&=+/', 'a%3Ab+c:%C3%A4%25%26%3D%2B%2F'],
  ] as const) {
    it(`encodes the client credentials as a form: ${pair}`, async () => {
      answer = { status: 200, body: JSON.stringify(good) };
      expect(await outcome({ clientId, clientSecret })).to.equal('before');
      expect(Buffer.from(authorization?.slice('Basic '.length) ?? '', 'base64').toString()).to.equal(pair);
    });
  }

  /** The refresh token afterwards, or the code of the error. */
  async function outcome(client: OauthClient = { clientId: 'c', clientSecret: undefined }): Promise<unknown> {
    const metadata = { issuer, token_endpoint: `${issuer}/token` };
    const configuration = await configurationOf({ metadata }, client, web);
    return await refreshTokens(configuration, 'before', 'https://mcp.example', () => new Date()).then(
      ({ refreshToken }) => refreshToken,
      (error: { readonly code: unknown }) => error.code,
    );
  }
});
