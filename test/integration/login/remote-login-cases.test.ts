import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { createRecordingLogger } from '@portolan/plugin-testing';
import { openFetch } from '@portolan/outbound';
import { createRunConfig, remoteAuthOf } from '@portolan/run-spec';
import { expect } from 'chai';
import type { ClientMetadata } from 'oidc-provider';
import { type Lie, LyingWorld, PLACES } from '../../../packages/oauth-client/test/support/lying-world.ts';
import { OauthWorld } from '../../../packages/oauth-client/test/support/oauth-world.ts';
import { logInAgain, logOut } from '../../../packages/workload/src/login/log-in-again.ts';
import { watchLogin } from '../../../packages/workload/src/login/workload-login.ts';
import { ownProcess } from '../../../packages/workload/src/state/process-identity.ts';
import type { WorkloadContext } from '../../../packages/workload/src/workload-context.ts';
import { keepContext } from '../../../packages/workload/test/support/keep-context.ts';
import { LackingScopes } from '../../../plugins/credentials-oauth/src/lacking-scopes.ts';
import { LoginRenewal } from '../../../plugins/credentials-oauth/src/login-renewal.ts';
import { freePort } from '../../support/free-port.ts';
import { TemporaryFolders } from '../../support/temporary-folders.ts';

const { signal } = new AbortController();
const DOCUMENT = 'https://client.example/portolan.json';
/** Grant that the registration also requests, because the server announces it. */
const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
const nothing = (): void => undefined;

/** Cases of logins to remote servers in spec mcp-protocol-eras.md, section 6, each with its number. */
describe('login to a remote server (protocol cases F11 to F18)', function () {
  this.timeout(180_000);
  const folders = new TemporaryFolders();
  after(() => folders.removeAll());

  /** A workload of the remote without a login. */
  async function workload(remote: string, settings: object = {}): Promise<WorkloadContext> {
    const context = { ...keepContext(await folders.make(), {}), openFetch, logger: createRecordingLogger() };
    const config = createRunConfig({
      name: 'notes',
      remote_url: remote,
      transport: 'streamable-http',
      group: 'default',
      remote_auth_config: { enabled: true, callback_port: await freePort(), ...settings },
    });
    await context.store.claim(config, await ownProcess());
    return context;
  }

  /** Logs a person in who follows every redirect. */
  async function logIn(
    context: WorkloadContext,
    visit: (url: string) => unknown,
    more: readonly string[] = [],
  ): Promise<void> {
    const person = {
      isThere: true,
      hasBrowser: true,
      showLogin: async ({ url }: { readonly url: string }) => void visit(url),
      onMoreTime: () => nothing,
    };
    await logInAgain('notes', context, { step: nothing, note: nothing, warn: nothing, person }, signal, more);
  }

  /** Renews the token like the workload does while it runs. */
  async function renew(context: WorkloadContext, remote: string): Promise<void> {
    const { config } = await context.store.getConfig('notes');
    const login = await watchLogin(
      { config, secrets: {}, handed: undefined, lacks: nothing, stepUp: undefined },
      context,
    );
    const server = { workload: 'notes', url: new URL(remote) };
    await new LoginRenewal({ ...context, server, login }).renew(signal);
    login.close();
  }

  describe('with a malicious authorization server', () => {
    let world: LyingWorld;
    let shown: URL[];
    beforeEach(async () => {
      world = await LyingWorld.open();
      shown = [];
    });
    afterEach(() => world.close());

    /** Returns from the login page with the given manipulation. */
    async function goesBack(url: string): Promise<void> {
      const asked = new URL(url);
      shown.push(asked);
      const back = new URL(asked.searchParams.get('redirect_uri') ?? '');
      const honest = { code: 'a-code', state: asked.searchParams.get('state') ?? '', iss: world.own };
      for (const [name, value] of Object.entries({ ...honest, ...world.lie.redirect })) {
        if (value !== undefined) back.searchParams.append(name, value);
      }
      await fetch(back);
    }

    async function tell(lie: Lie, settings: object = {}): Promise<unknown> {
      world.lie = lie;
      const context = await workload(`${world.own}/mcp`, settings);
      return await logIn(context, goesBack).catch((error: unknown) => error);
    }

    const sentTo = (path: string): readonly string[] =>
      world.sent.filter((one) => one.path === path).map(({ body }) => body);

    const redirects: readonly (readonly [what: string, iss: (own: string) => string | undefined])[] = [
      ['wrong', () => 'https://evil.example'],
      ['missing, though announced', () => undefined],
      ['only a slash more', (own) => `${own}/`],
    ];
    for (const [what, iss] of redirects) {
      it(`F11: sends no code when the issuer in the redirect is ${what}`, async () => {
        const error = await tell({ redirect: { iss: iss(world.own) } });
        expect(error)
          .to.have.property('message')
          .that.matches(/the answer came not from http/);
        expect(shown).to.have.lengthOf(1);
        expect(sentTo('/token')).to.deep.equal([]);
      });
    }

    for (const resource of ['', undefined]) {
      const what = resource === undefined ? 'the remote as the resource' : 'no resource';
      it(`sends ${what} in a login and its renewal when the user sets the resource ${String(resource)}`, async () => {
        world.lie = { token: { refresh_token: 'again' } };
        const remote = `${world.own}/mcp`;
        const expected = resource === '' ? null : remote;
        const context = await workload(remote, resource === undefined ? {} : { resource });
        await logIn(context, goesBack);
        await renew(context, remote);
        expect(shown.at(-1)?.searchParams.get('resource')).to.equal(expected);
        const named = sentTo('/token').map((body) => new URLSearchParams(body).get('resource'));
        expect(named).to.deep.equal([expected, expected]);
      });
    }

    it('F12: rejects metadata of another issuer', async () => {
      for (const issuer of ['https://id.example', `${world.own}/`, world.own.toUpperCase()]) {
        expect(await tell({ issuer: { issuer } }))
          .to.have.property('message')
          .that.matches(/is about "/);
      }
      expect(shown).to.deep.equal([]);
    });

    it('F14: rejects a server that does not announce PKCE with S256', async () => {
      for (const code_challenge_methods_supported of [undefined, [], ['plain']]) {
        expect(await tell({ issuer: { code_challenge_methods_supported } }))
          .to.have.property('message')
          .that.matches(/does not announce PKCE with S256/);
      }
      expect(shown).to.deep.equal([]);
    });

    /** Rest of a login with a client metadata document: without a registration, or after one. */
    const honest = (more: Readonly<Record<string, unknown>>): Lie => ({
      issuer: more,
      registration: { redirect_uris: undefined },
    });

    it('F15: uses a client ID document when the server accepts one', async () => {
      expect(
        await tell(honest({ client_id_metadata_document_supported: true }), {
          client_id: DOCUMENT,
          callback_port: await freePort(),
        }),
      ).to.equal(undefined);
      expect(shown[0]?.searchParams.get('client_id')).to.equal(DOCUMENT);
      expect(new URLSearchParams(sentTo('/token')[0]).get('client_id')).to.equal(DOCUMENT);
      expect(sentTo('/register')).to.deep.equal([]);
    });

    it('F15: registers a client when the server rejects the client ID document', async () => {
      let refused = 0;
      const token = `${world.own}/token`;
      const lie = {
        ...honest({ client_id_metadata_document_supported: true, token_endpoint: token }),
        answers: {
          '/token': (response: ServerResponse) => {
            const isDocument = new URLSearchParams(sentTo('/token').at(-1)).get('client_id') === DOCUMENT;
            if (isDocument) refused += 1;
            const body = isDocument
              ? { error: 'invalid_client' }
              : { access_token: 'a-token', token_type: 'Bearer', expires_in: 3600 };
            response.writeHead(isDocument ? 401 : 200, { 'content-type': 'application/json' });
            response.end(JSON.stringify(body));
          },
        },
      };
      const settings = { client_id: DOCUMENT, callback_port: await freePort() };
      expect(await tell(lie, settings)).to.equal(undefined);
      expect(refused).to.equal(1);
      expect(shown.map((url) => url.searchParams.get('client_id'))).to.deep.equal([DOCUMENT, 'a-client']);
    });

    for (const path of [PLACES.resource, PLACES.issuer, PLACES.registration, PLACES.token]) {
      it(`limits the time of the whole login when ${path} never responds`, async () => {
        const answers = { [path]: nothing };
        const error = await tell({ ...honest({}), answers }, { timeout: 1_000_000_000 });
        expect(error).to.include({ code: 'ERR_LOGIN_TIMEOUT' });
      });
    }

    it('rejects oauth_params that the flow itself sets', async () => {
      const error = await tell(honest({}), {
        oauth_params: { prompt: 'login', request_uri: 'https://a.b/c' },
      });
      expect(error)
        .to.have.property('message')
        .that.matches(/found request_uri in oauth_params/);
      expect(shown).to.deep.equal([]);
    });

    it('F15: registers a native client with a loopback redirect when the server accepts no client ID document', async () => {
      expect(await tell(honest({}), { client_id: DOCUMENT })).to.equal(undefined);
      const [body = '{}'] = sentTo('/register');
      const { application_type, redirect_uris, grant_types, token_endpoint_auth_method } = JSON.parse(body);
      expect({ application_type, grant_types, token_endpoint_auth_method }).to.deep.equal({
        application_type: 'native',
        grant_types: ['authorization_code', 'refresh_token', DEVICE_GRANT],
        token_endpoint_auth_method: 'none',
      });
      expect(new URL(redirect_uris[0]).hostname).to.be.oneOf(['localhost', '127.0.0.1']);
      expect(shown[0]?.searchParams.get('client_id')).to.equal('a-client');
    });

    it('F18: does not fetch metadata at 169.254.169.254', async () => {
      const challenge = 'Bearer resource_metadata="https://169.254.169.254/latest"';
      expect(await tell({ challenge }))
        .to.have.property('message')
        .that.matches(/was not fetched: .*169\.254\.169\.254/);
      const servers = { authorization_servers: ['https://169.254.169.254'] };
      expect(await tell({ resource: servers }))
        .to.have.property('message')
        .that.matches(/was not fetched: .*169\.254\.169\.254/);
      expect(shown).to.deep.equal([]);
    });
  });

  describe('with real authorization servers', () => {
    const worlds: OauthWorld[] = [];
    afterEach(() => Promise.all(worlds.splice(0).map((world) => world.close())));

    async function open(clients: readonly ClientMetadata[] = []): Promise<OauthWorld> {
      const world = await OauthWorld.open({ guardsCalls: true, clients });
      worlds.push(world);
      return world;
    }

    it('F13: names the resource in the authorization request, the token request and each refresh', async () => {
      const world = await open();
      const context = await workload(world.remote);
      const shown: URL[] = [];
      await logIn(context, (url) => {
        shown.push(new URL(url));
        return world.visit(url);
      });
      await renew(context, world.remote);
      expect(shown.map((url) => url.searchParams.get('resource'))).to.deep.equal([world.remote]);
      expect(
        world.tokenRequests.map((request) => [request.get('grant_type'), request.get('resource')]),
      ).to.deep.equal([
        ['authorization_code', world.remote],
        ['refresh_token', world.remote],
      ]);
    });

    it('F16: registers a new client at another issuer, and sends nothing of the first issuer there', async () => {
      const [first, second] = [await open(), await open()];
      const context = await workload(first.remote);
      await logIn(context, (url) => first.visit(url));
      const before = remoteAuthOf((await context.store.getConfig('notes')).config).login;
      first.edit = (path, document) =>
        path.includes('protected-resource')
          ? { ...document, authorization_servers: [second.issuer] }
          : document;
      const { registered } = first;
      await logIn(context, (url) => second.visit(url));
      const after = remoteAuthOf((await context.store.getConfig('notes')).config).login;
      expect(first.registered).to.equal(registered);
      expect(second.registered).to.be.greaterThan(0);
      expect([before?.issuer, after?.issuer]).to.deep.equal([first.issuer, second.issuer]);
      expect(after?.clientId).to.not.equal(before?.clientId);
      const told = second.tokenRequests.map(String).join('\n');
      for (const secret of [before?.clientId ?? '', ...first.issued]) expect(told).to.not.include(secret);
    });

    it('F16: sends the secret of a preregistered client only to its first issuer, unless the user names the new one', async () => {
      const port = await freePort();
      const client = {
        client_id: 'own',
        client_secret: 'hunter2-secret',
        redirect_uris: [`http://localhost:${port}/callback`],
        application_type: 'native',
      } as const;
      const [first, second] = [await open([client]), await open([client])];
      const folder = await folders.make();
      const file = `${folder}/secret`;
      await writeFile(file, 'hunter2-secret\n');
      const own = { client_id: 'own', client_secret_file: file, callback_port: port };
      const context = await workload(first.remote, own);
      await logIn(context, (url) => first.visit(url));
      first.edit = (path, document) =>
        path.includes('protected-resource')
          ? { ...document, authorization_servers: [second.issuer] }
          : document;
      const error = await logIn(context, (url) => second.visit(url)).catch((thrown: unknown) => thrown);
      expect(error).to.include({ code: 'ERR_LOGIN_UNTRUSTED' });
      expect(second.tokenRequests).to.deep.equal([]);
      const { login } = remoteAuthOf((await context.store.getConfig('notes')).config);
      expect(login?.issuer).to.equal(first.issuer);
      // The client also authenticates where the login is revoked.
      expect(await logOut('notes', context, signal)).to.include({ revoked: true });
      expect(first.revoked).to.have.lengthOf(1);
    });

    it('uses the endpoints that the user names with any issuer, and the scopes of the challenge or of the user', async () => {
      const port = await freePort();
      const redirect_uris = [`http://localhost:${port}/callback`];
      const native = {
        application_type: 'native',
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
      } as const;
      const world = await open([{ client_id: 'own', redirect_uris, ...native }]);
      // The issuer of redirects and ID tokens is localhost.
      const at = world.issuer.replace('localhost', '127.0.0.1');
      const named = { authorize_url: `${at}/auth`, token_url: `${at}/token`, scopes: ['openid', 'mcp.read'] };
      const settings = { client_id: 'own', callback_port: port, ...named, scope_param_name: 'user_scope' };
      const context = await workload(world.remote, settings);
      const visited: URL[] = [];
      await logIn(context, (url) => {
        const page = new URL(url);
        visited.push(new URL(url));
        // Imitates a server that knows scopes by another name.
        page.searchParams.set('scope', page.searchParams.get('user_scope') ?? '');
        return world.visit(page.href);
      });
      expect(visited[0]?.searchParams.get('user_scope')).to.equal('openid mcp.read');
      expect(visited[0]?.searchParams.has('scope')).to.equal(false);
      const { login } = remoteAuthOf((await context.store.getConfig('notes')).config);
      expect(login).to.include({ issuer: at, clientId: 'own', subject: undefined });
      await renew(context, world.remote);
      expect(await logOut('notes', context, signal)).to.include({ issuer: at });
      // When redirects also name the issuer, any other issuer is refused.
      for (const [issuer, code] of [
        [world.issuer, undefined],
        [at, 'ERR_LOGIN_REFUSED'],
      ] as const) {
        const known = await workload(world.remote, { ...settings, issuer, scope_param_name: 'scope' });
        const error = await logIn(known, (url) => world.visit(url)).catch((thrown: unknown) => thrown);
        expect(Object(error).code).to.equal(code);
      }
    });

    it('fails before it opens the browser when the only callback port of a preregistered client is taken', async () => {
      const other = createServer().listen(0, '127.0.0.1');
      await once(other, 'listening');
      // SAFETY: the server listens on a TCP port.
      const { port } = other.address() as AddressInfo;
      try {
        const world = await open([
          {
            client_id: 'own',
            redirect_uris: [`http://localhost:${port}/callback`],
            client_secret: 'hunter2',
          },
        ]);
        const context = await workload(world.remote, { client_id: 'own', callback_port: port });
        const visited: string[] = [];
        const error = await logIn(context, (url) => visited.push(url)).catch((thrown: unknown) => thrown);
        expect(error).to.include({ code: 'ERR_LOGIN_PORT' });
        expect([visited, world.tokenRequests]).to.deep.equal([[], []]);
      } finally {
        other.close();
      }
    });

    it('fails for a workload with a bearer token', async () => {
      const world = await open();
      const context = await workload(world.remote, { bearer_token_file: '/nowhere' });
      const error = await logIn(context, (url) => world.visit(url)).catch((thrown: unknown) => thrown);
      expect(error).to.include({ code: 'ERR_LOGIN_NOT_POSSIBLE' });
      expect(world.registered).to.equal(0);
    });

    it('F17: step-up requests the union of scopes, at most twice', async () => {
      const world = await open();
      const context = await workload(world.remote);
      const asked: (string | null)[] = [];
      const visit = (url: string): unknown => {
        asked.push(new URL(url).searchParams.get('scope'));
        return world.visit(url);
      };
      await logIn(context, visit);
      const lacking = new LackingScopes(
        nothing,
        (scopes) => logIn(context, visit, scopes),
        createRecordingLogger(),
      );
      // The remote refuses the same request for the same reason, whichever scopes were granted.
      expect([
        await lacking.ask(['mcp.write']),
        await lacking.ask(['mcp.write']),
        await lacking.ask(['mcp.write']),
      ]).to.deep.equal([true, true, false]);
      const [, ...steps] = asked;
      expect(steps).to.have.lengthOf(2);
      for (const scopes of steps) expect(scopes?.split(' ')).to.include.members(['mcp.read', 'mcp.write']);
    });
  });
});
