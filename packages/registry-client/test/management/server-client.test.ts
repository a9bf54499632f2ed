import { openFetch } from '@portolan/outbound';
import { expect } from 'chai';
import { accessWith, type RegistryAccess } from '../../src/connection/registry-access.ts';
import { ServerClient } from '../../src/management/server-client.ts';
import type { Refusal } from '../../src/management/server-reply.ts';
import { parseServerAddress } from '../../src/management/server-address.ts';
import { refusal, StubRegistry } from '../../../../test/support/stub-registry.ts';

/** An error that shows what it was made of. */
function refusalError(refused: Refusal, { tokenFrom }: Pick<ServerClient, 'tokenFrom'>): Error {
  return Object.assign(new Error(refused.error), { refusal: refused, tokenFrom });
}

describe('ServerClient', () => {
  let stub: StubRegistry;
  before(async () => {
    stub = await StubRegistry.start(() => ({ status: 200, body: {} }));
  });
  after(async () => {
    await stub.stop();
  });
  const clients: ServerClient[] = [];
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.close();
  });
  const connect = (
    options: { url?: string; token?: string; access?: RegistryAccess; timeoutMs?: number } = {},
  ) => {
    const client = new ServerClient(
      { openFetch, environment: {}, version: '1' },
      {
        address: parseServerAddress(options.url ?? stub.url, { allowInsecure: false }),
        access: options.access ?? accessWith(options.token),
        timeoutMs: options.timeoutMs ?? 10_000,
        refusalError,
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

  it('accepts a response without a body', async () => {
    stub.answers(() => ({ status: 204 }));
    expect((await connect().ask({ method: 'DELETE', path: '/' })).body).to.equal(undefined);
  });

  it("throws the caller's error for a refusal, with its issues and whether there was a token", async () => {
    const issues = [{ type: 'schema', path: 'packages[0]', message: 'is missing', severity: 'error' }];
    stub.answers(() =>
      refusal(400, 'ERR_DOCUMENT_INVALID', 'It breaks rules.', { issues, hint: 'Mend it.' }),
    );
    const error = await failure(
      connect({ token: 'x' }).ask({ method: 'POST', path: '/v1/entries', body: {} }),
    );
    expect(error).to.include({ message: 'It breaks rules.', tokenFrom: 'user' });
    expect(error).to.have.deep.property('refusal', {
      status: 400,
      code: 'ERR_DOCUMENT_INVALID',
      error: 'It breaks rules.',
      hint: 'Mend it.',
      issues: [{ path: 'packages[0]', message: 'is missing', severity: 'error' }],
      requestId: 'r-1',
    });
  });

  it('does not follow a redirect with the token', async () => {
    const other = await StubRegistry.start(() => ({ status: 200, body: {} }));
    try {
      stub.answers(() => ({ status: 307, headers: { Location: other.url } }));
      const error = await failure(connect({ token: 'sesame' }).ask({ method: 'GET', path: '/v1/me' }));
      expect(error).to.have.property('code', 'ERR_REGISTRY_RESPONSE');
      expect(String(error)).to.include('a redirect (307)');
      expect(other.seen).to.deep.equal([]);
    } finally {
      await other.stop();
    }
  });

  const strange = [
    {
      title: 'an HTML page',
      answer: { status: 200, body: '<html>' },
      says: '200 and text/html; expected JSON',
    },
    {
      title: 'an HTML page with an error status',
      answer: { status: 502, body: 'Bad gateway' },
      says: '502 and text/html',
    },
    { title: 'an error without a body', answer: { status: 404 }, says: '404 and nothing' },
    {
      title: 'JSON that is not an error',
      answer: { status: 400, body: [1] },
      says: '400 and application/json',
    },
  ];
  for (const { title, answer, says } of strange) {
    it(`rejects ${title} as a response`, async () => {
      stub.answers(() => answer);
      const error = await failure(connect().ask({ method: 'GET', path: '/v1/me' }));
      expect(error).to.have.property('code', 'ERR_REGISTRY_RESPONSE');
      expect(String(error)).to.include('GET /v1/me').and.to.include(says);
    });
  }

  it('retries while a server is busy', async () => {
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

  it('does not retry by default', async () => {
    stub.answers(() => refusal(503, 'ERR_DATABASE_UNAVAILABLE', 'No database.'));
    await failure(connect().ask({ method: 'GET', path: '/' }));
    expect(stub.seen).to.have.length(1);
  });

  it('reports a timeout', async () => {
    stub.answers(() => 'never');
    const error = await failure(connect({ timeoutMs: 50 }).ask({ method: 'GET', path: '/' }));
    expect(error).to.have.property('code', 'ERR_REGISTRY_TIMEOUT');
    expect(String(error)).to.include('did not respond within 0.05 s');
  });

  it('reports a proxy variable that names no proxy, and can be closed', async () => {
    const client = new ServerClient(
      { openFetch, environment: { http_proxy: 'ftp://proxy.acme.example' }, version: '1' },
      { address: new URL(stub.url), access: accessWith(undefined), timeoutMs: 10_000, refusalError },
    );
    expect(await failure(client.ask({ method: 'GET', path: '/' }))).to.have.property(
      'code',
      'ERR_PROXY_INVALID',
    );
    await client.close();
  });

  it('reports a refused and a closed connection', async () => {
    const gone = await StubRegistry.start(() => ({ status: 200 }));
    const { url } = gone;
    await gone.stop();
    const refused = await failure(connect({ url }).ask({ method: 'GET', path: '/' }));
    expect(refused).to.have.property('code', 'ERR_REGISTRY_UNREACHABLE');
    expect(String(refused)).to.include('nothing listens there');
    stub.answers(() => 'cut');
    expect(String(await failure(connect().ask({ method: 'GET', path: '/' })))).to.include(
      'the connection was cut',
    );
  });

  const renewals = [
    {
      title: 'retries once with a renewed token',
      renewed: 'new',
      statuses: [401, 200],
      sent: ['old', 'new'],
    },
    {
      title: 'gives up when the renewed token is refused',
      renewed: 'new',
      statuses: [401, 401],
      sent: ['old', 'new'],
    },
    {
      title: 'gives up when the token cannot be renewed',
      renewed: undefined,
      statuses: [401],
      sent: ['old'],
    },
    { title: 'renews the token only after 401', renewed: 'new', statuses: [403], sent: ['old'] },
  ];
  for (const { title, renewed, statuses, sent } of renewals) {
    it(title, async () => {
      const seen: (string | undefined)[] = [];
      stub.answers(({ headers }) => {
        seen.push(headers['authorization']?.replace('Bearer ', ''));
        const status = statuses[seen.length - 1] ?? 500;
        return status === 200 ? { status, body: {} } : refusal(status, 'ERR_X', 'No.');
      });
      const access = { ...accessWith('old'), from: 'login', renewed: async () => renewed } as const;
      const outcome = await connect({ access }).send({ method: 'GET', path: '/v1/me' });
      expect(outcome.ok ? 200 : outcome.refusal.status).to.equal(statuses.at(-1));
      expect(seen).to.deep.equal(sent);
    });
  }
});
