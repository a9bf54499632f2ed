import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeClock } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { apiSource } from '../src/index.ts';
import { faultOf } from './fault-of.ts';
import { block, openSource } from './open-source.ts';
import { readEntries } from './read-entries.ts';
import { row, startStubRegistry, type StubRegistry } from './stub-registry.ts';

const SECRET = 's3cr:et%';

/** An issuer that gives tokens by client credentials, and counts them. */
class StubIssuer {
  readonly requests: { readonly request: IncomingMessage; readonly body: string }[] = [];
  tokens = 0;
  answer: { readonly status: number; readonly body: object } | undefined;
  methods: readonly string[] | undefined = undefined;
  discovery = '/.well-known/openid-configuration';
  readonly #server: Server;
  url = '';

  constructor() {
    this.#server = createServer((request, response) => {
      void (async () => {
        let body = '';
        for await (const chunk of request) body += String(chunk);
        this.requests.push({ request, body });
        const send = (status: number, value: object): void => {
          response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
          response.end(JSON.stringify(value));
        };
        if (request.url === this.discovery) {
          const methods =
            this.methods === undefined ? {} : { token_endpoint_auth_methods_supported: this.methods };
          send(200, { issuer: this.url, token_endpoint: `${this.url}/token`, ...methods });
        } else if (request.url === '/token') {
          this.tokens += 1;
          const token = { access_token: `t${this.tokens}`, token_type: 'Bearer', expires_in: 300 };
          send(this.answer?.status ?? 200, this.answer?.body ?? token);
        } else send(404, {});
      })();
    }).listen(0, '127.0.0.1');
  }

  async open(): Promise<void> {
    await once(this.#server, 'listening');
    // A TCP server on a port answers an object here, never a path.
    const { port } = this.#server.address() as AddressInfo;
    this.url = `http://127.0.0.1:${port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

describe('credentials of an api source', () => {
  let stub: StubRegistry;
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'portolan-source-api-'));
    stub = await startStubRegistry();
    stub.rows = [row('dev.acme/a', '1.0.0')];
  });
  afterEach(async () => {
    await stub.close();
    await rm(folder, { recursive: true });
  });

  const shown = (): ReadonlySet<string | undefined> =>
    new Set(stub.requests.map(({ headers }) => headers.authorization));

  it('are a literal token, and headers', async () => {
    const headers = { 'X-Api-Key': 'k3y', 'User-Agent': 'acme' };
    await readEntries(openSource({ endpoint: stub.url, auth: { token: 'abc' }, headers }).source);
    expect([...shown()]).to.deep.equal(['Bearer abc']);
    for (const request of stub.requests)
      expect(request.headers).to.include({ 'x-api-key': 'k3y', 'user-agent': 'acme' });
  });

  it("are sent to the configured origin, not to a redirect's target", async () => {
    const other = await startStubRegistry();
    other.rows = stub.rows;
    stub.instead = (request, response) => {
      response.writeHead(302, { location: `${other.url}${request.url?.slice('/base'.length)}` }).end();
      return true;
    };
    const { source } = openSource(
      { endpoint: stub.url, auth: { token: 'abc' }, headers: { 'x-api-key': 'k3y' } },
      // The test has no public address: it only asks what is sent to another origin.
      { openFetch: async () => ({ fetch, close: async () => undefined }) },
    );
    try {
      await readEntries(source);
      expect(other.requests).to.not.have.lengthOf(0);
      for (const { headers } of other.requests)
        expect(headers).to.not.have.any.keys('authorization', 'x-api-key');
    } finally {
      await other.close();
    }
  });

  it('are read from their file for each request', async () => {
    const file = join(folder, 'token');
    await writeFile(file, 'first\n');
    const { source } = openSource(
      { endpoint: stub.url, auth: { tokenFile: 'token' } },
      { directory: folder },
    );
    await readEntries(source);
    await writeFile(file, 'second\n');
    await readEntries(source);
    expect([...shown()]).to.deep.equal(['Bearer first', 'Bearer second']);
  });

  for (const [what, text] of Object.entries({
    'that is not there': undefined,
    'that is empty': '',
    'with two tokens': 'one\ntwo',
    'that is too large': 'x'.repeat(70_000),
  })) {
    it(`fail with a reason when their file is ${what}`, async () => {
      if (text !== undefined) await writeFile(join(folder, 'token'), text);
      const { source } = openSource(
        { endpoint: stub.url, auth: { tokenFile: 'token' } },
        { directory: folder },
      );
      const fault = await faultOf(() => readEntries(source));
      expect(fault.code).to.equal('ERR_SOURCE_CREDENTIAL_FILE');
      expect(fault.message).to.not.include(folder);
      expect(stub.requests).to.have.lengthOf(0);
    });
  }

  describe('client credentials', () => {
    let issuer: StubIssuer;
    let clock: FakeClock;

    beforeEach(async () => {
      clock = new FakeClock();
      issuer = new StubIssuer();
      await issuer.open();
    });
    afterEach(() => issuer.close());

    function open(
      more: { readonly scope?: string; readonly resource?: string; readonly audience?: string } = {},
    ) {
      const clientCredentials = { issuer: issuer.url, clientId: 'portolan', clientSecret: SECRET, ...more };
      return openSource({ endpoint: stub.url, auth: { clientCredentials } }, { clock: clock.clock }).source;
    }
    const tokenRequests = () => issuer.requests.filter(({ request }) => request.url === '/token');

    it('use one token while it is valid', async () => {
      const source = open({ scope: 'mcp-registry:read', resource: 'https://r.example/', audience: 'r' });
      await readEntries(source);
      await readEntries(source);
      expect([...shown()]).to.deep.equal(['Bearer t1']);
      const [asked] = tokenRequests();
      const parameters = Object.fromEntries(new URLSearchParams(asked?.body));
      expect(parameters).to.deep.equal({
        grant_type: 'client_credentials',
        scope: 'mcp-registry:read',
        resource: 'https://r.example/',
        audience: 'r',
      });
      expect(asked?.request.headers.authorization).to.match(/^Basic /);
      clock.advance(271_000);
      await readEntries(source);
      expect([...shown()]).to.deep.equal(['Bearer t1', 'Bearer t2']);
    });

    it("are sent in the body if the issuer requires it, and discovered at OAuth's metadata address", async () => {
      issuer.methods = ['client_secret_post'];
      issuer.discovery = '/.well-known/oauth-authorization-server';
      await readEntries(open());
      const parameters = Object.fromEntries(new URLSearchParams(tokenRequests()[0]?.body));
      expect(parameters).to.include({ client_id: 'portolan', client_secret: SECRET });
    });

    it('are requested again, once, when the registry no longer accepts a token', async () => {
      const refuse = (times: number): void => {
        let left = times;
        stub.instead = (_request, response) => {
          if (left === 0) return false;
          left -= 1;
          response.writeHead(401).end('{}');
          return true;
        };
      };
      refuse(1);
      const source = open();
      await readEntries(source);
      expect(issuer.tokens).to.equal(2);
      refuse(100);
      const fault = await faultOf(() => readEntries(source));
      expect([fault.code, fault.message]).to.deep.equal([
        'ERR_SOURCE_STATUS',
        'The registry responded to the request for the list of servers with status 401; expected 200.',
      ]);
      expect(issuer.tokens).to.equal(3);
    });

    it("fail with the issuer's message, without the secret", async () => {
      issuer.answer = { status: 401, body: { error: 'invalid_client', error_description: `not ${SECRET}` } };
      const fault = await faultOf(() => readEntries(open()));
      expect(fault.code).to.equal('ERR_SOURCE_API_TOKEN');
      expect(fault.message).to.include('invalid_client').and.not.include(SECRET);
      expect(stub.requests).to.have.lengthOf(0);
    });

    it('fail when the issuer returns no bearer token', async () => {
      for (const body of [{ access_token: 'x', token_type: 'mac' }, {}, { token_type: 'bearer' }]) {
        issuer.answer = { status: 200, body };
        expect((await faultOf(() => readEntries(open()))).code).to.equal('ERR_SOURCE_API_TOKEN');
      }
      issuer.discovery = '/nowhere';
      expect((await faultOf(() => readEntries(open()))).code).to.equal('ERR_SOURCE_API_TOKEN');
    });
  });

  describe('check', () => {
    const problemsOf = (config: Partial<Parameters<typeof block>[0]>) =>
      apiSource.check?.(block({ endpoint: 'https://r.example', ...config }), {
        directory: folder,
        trustsLoopback: false,
      }) ?? [];
    const issuerAt = (issuer: string) => ({
      auth: { clientCredentials: { issuer, clientId: 'a', clientSecret: SECRET } },
    });

    it('accepts valid settings', () => {
      expect(
        problemsOf({ auth: { token: 'abc.def-ghi_~+/=' }, headers: { 'X-Api-Key': 'a b' } }),
      ).to.deep.equal([]);
      for (const issuer of ['https://sso.example/realms/a', 'http://localhost:8080', 'http://[::1]/'])
        expect(problemsOf(issuerAt(issuer)), issuer).to.deep.equal([]);
    });

    const REFUSED: readonly (readonly [place: string, Partial<Parameters<typeof block>[0]>])[] = [
      ['auth.token', { auth: { token: 'Bearer s3cr:et%' } }],
      ['auth.token', { auth: { token: 's3cr:et%\nx' } }],
      ['headers', { headers: { 'X Api': SECRET } }],
      ['headers.X-Api', { headers: { 'X-Api': `${SECRET}\r\nHost: other` } }],
      ['headers.Authorization', { headers: { Authorization: SECRET } }],
      ['headers.host', { headers: { host: SECRET } }],
      ['auth.clientCredentials.issuer', issuerAt('http://sso.example')],
      ['auth.clientCredentials.issuer', issuerAt(`https://a:${encodeURIComponent(SECRET)}@sso.example`)],
      ['auth.clientCredentials.issuer', issuerAt('sso.example')],
    ];
    for (const [place, config] of REFUSED) {
      it(`refuses ${place} without showing it: ${Object.keys(config)[0]}`, () => {
        const problems = problemsOf(config);
        expect(problems.map((problem) => problem.place)).to.deep.equal([place]);
        expect(JSON.stringify(problems)).to.not.include('s3cr');
      });
    }

    it('warns when credentials travel unencrypted', () => {
      const [problem, ...more] = problemsOf({ endpoint: 'http://registry.example', auth: { token: 'abc' } });
      expect([problem?.place, problem?.isWarning, more]).to.deep.equal(['endpoint', true, []]);
      expect(problemsOf({ endpoint: 'http://127.0.0.1:8080', auth: { token: 'abc' } })).to.deep.equal([]);
    });
  });
});
