import { createServer, type Server } from 'node:http';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { type OAuthClientProvider, UnauthorizedError } from '@modelcontextprotocol/sdk/client/auth.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { OAuthClientInformationMixed, OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js';
import { openFetch } from '@portolan/outbound';
import { createRecordingLogger } from '@portolan/plugin-testing';
import type { ForwardedHeader, OutgoingCredentials } from '@portolan/plugin-api';
import { type OpenProxy, openProxy } from '@portolan/proxy';
import { expect } from 'chai';
import {
  OauthWorld,
  type OauthWorldOptions,
} from '../../../packages/oauth-client/test/support/oauth-world.ts';
import { findRemoteLogin } from '../../../packages/workload/src/supervisor/open-client-listener.ts';
import { listenOnLoopback } from '../../support/listen-on-loopback.ts';

const METADATA = '/.well-known/oauth-protected-resource';

/** OAuth client of an editor. It keeps everything in memory, and its person consents to every login. */
class Editor implements OAuthClientProvider {
  readonly redirectUrl: string;
  readonly clientMetadata;
  client: OAuthClientInformationMixed | undefined;
  given: OAuthTokens | undefined;
  page: URL | undefined;
  /** Number of redirects to a login page. */
  redirects = 0;
  #verifier = '';

  constructor(redirectUrl: string) {
    this.redirectUrl = redirectUrl;
    this.clientMetadata = {
      client_name: 'Editor',
      redirect_uris: [redirectUrl],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
    };
  }

  clientInformation = (): OAuthClientInformationMixed | undefined => this.client;
  saveClientInformation = (client: OAuthClientInformationMixed): void => void (this.client = client);
  tokens = (): OAuthTokens | undefined => this.given;
  saveTokens = (tokens: OAuthTokens): void => void (this.given = tokens);
  codeVerifier = (): string => this.#verifier;
  saveCodeVerifier = (verifier: string): void => void (this.#verifier = verifier);
  redirectToAuthorization = (page: URL): void => {
    this.redirects += 1;
    this.page = page;
  };
}

describe('clients that log in by themselves through a remote workload (toolhive 4124)', function () {
  this.timeout(60_000);
  const closes: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of closes.splice(0).toReversed()) await close();
  });

  const logger = createRecordingLogger();

  async function open(
    worldOptions: OauthWorldOptions = {},
    more: {
      readonly credentials?: OutgoingCredentials;
      readonly forwardHeaders?: readonly ForwardedHeader[];
    } = {},
  ): Promise<{ readonly world: OauthWorld; readonly proxy: OpenProxy }> {
    const world = await OauthWorld.open({ knowsScopes: true, ...worldOptions });
    closes.push(() => world.close());
    const remote = new URL(world.remote);
    const proxy = await openProxy({
      backend: { carries: 'http', transport: 'streamable-http', target: remote, isRemote: true, ...more },
      instance: 'test',
      transport: 'streamable-http',
      version: '1.0.0',
      remoteLogin: {
        workload: 'notes',
        find: (asked) => findRemoteLogin(remote, asked, { environment: {}, openFetch }),
      },
      logger,
      clock: () => new Date(),
    });
    closes.push(() => proxy.close());
    return { world, proxy };
  }

  /** Logs an editor in: its first connection leads to a login page, and the code is exchanged for tokens. */
  async function logIn(world: OauthWorld, proxy: OpenProxy): Promise<Editor> {
    const codes: string[] = [];
    const server: Server = createServer((request, response) => {
      codes.push(new URL(request.url ?? '', 'http://localhost').searchParams.get('code') ?? '');
      response.end('done');
    });
    const editor = new Editor(`http://127.0.0.1:${await listenOnLoopback(server)}/callback`);
    closes.push(
      () => server.closeAllConnections(),
      () => new Promise((done) => server.close(done)),
    );
    const { transport, error } = await connect(editor, proxy);
    expect(error).to.be.instanceOf(UnauthorizedError);
    await world.visit(editor.page?.href ?? '');
    await transport.finishAuth(codes[0] ?? '');
    return editor;
  }

  async function connect(editor: Editor, proxy: OpenProxy) {
    const transport = new StreamableHTTPClientTransport(new URL(proxy.url), { authProvider: editor });
    const client = new Client({ name: 'editor', version: '1.0.0' });
    const error: unknown = await client.connect(transport).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    closes.push(() => client.close());
    return { client, transport, error };
  }

  it('logs in the OAuth client of the TypeScript SDK, where the remote accepts tokens for the workload', async () => {
    const { world, proxy } = await open({ acceptsAnyAudience: true });
    const editor = await logIn(world, proxy);
    expect(editor.page?.searchParams.get('resource')).to.equal(proxy.url);
    expect(editor.page?.searchParams.get('scope')).to.equal('mcp.read');
    const { client, error } = await connect(editor, proxy);
    expect(error).to.equal(undefined);
    expect(client.getServerVersion()).to.include({ name: 'notes' });
    expect(editor.redirects).to.equal(1);
  });

  it('names portolan login instead of a second challenge, where the remote refuses the token', async () => {
    const { world, proxy } = await open();
    const editor = await logIn(world, proxy);
    const { error } = await connect(editor, proxy);
    expect(error).to.be.an('error').with.property('message').that.includes('portolan login notes');
    expect(error).to.include({ code: 403 });
    expect(editor.redirects).to.equal(1);
  });

  it('shows the client the error of an authorization server that refuses the address of the workload', async () => {
    const { world, proxy } = await open({ refusesOtherResources: true });
    const editor = new Editor('http://127.0.0.1:1/callback');
    expect((await connect(editor, proxy)).error).to.be.instanceOf(UnauthorizedError);
    const response = await fetch(editor.page ?? '', { redirect: 'manual' });
    const back = new URL(response.headers.get('location') ?? '');
    expect(`${back.origin}${back.pathname}`).to.equal(editor.redirectUrl);
    expect(back.searchParams.get('error')).to.equal('invalid_target');
    expect(world.tokenRequests).to.deep.equal([]);
  });

  it('keeps challenges for a token that the remote accepted before, so that the client refreshes it', async () => {
    const { world, proxy } = await open({ acceptsAnyAudience: true });
    const editor = await logIn(world, proxy);
    expect((await connect(editor, proxy)).error).to.equal(undefined);
    const before = editor.given?.access_token;
    await world.forgetTokens();
    expect((await connect(editor, proxy)).error).to.equal(undefined);
    expect(editor.given?.access_token).to.not.equal(before);
    expect(editor.redirects).to.equal(1);
  });

  const post = async (address: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
    await fetch(address, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
      body: '{"jsonrpc":"2.0","id":1,"method":"tools/list"}',
    });

  it('serves the metadata of its own address, with the authorization servers and scopes of the remote', async () => {
    const { world, proxy } = await open();
    const { origin } = new URL(proxy.url);
    for (const path of [`${METADATA}/mcp`, METADATA]) {
      const response = await fetch(`${origin}${path}`);
      expect([response.status, await response.json()]).to.deep.equal([
        200,
        {
          resource: proxy.url,
          authorization_servers: [world.issuer],
          bearer_methods_supported: ['header'],
          scopes_supported: ['mcp.read'],
        },
      ]);
    }
    const challenge = (await post(proxy.url)).headers.get('www-authenticate');
    expect(challenge).to.equal(`Bearer resource_metadata="${origin}${METADATA}/mcp"`);
  });

  it('responds with 404 at the paths of an authorization server, and sends nothing to the remote', async () => {
    const { world, proxy } = await open();
    const { origin } = new URL(proxy.url);
    const paths: string[] = [];
    world.watch = (path) => void paths.push(path);
    for (const path of ['/register', '/authorize', '/token']) {
      const response = await post(`${origin}${path}`);
      expect([path, response.status]).to.deep.equal([path, 404]);
      expect(Object(await response.json()).error_description).to.include('portolan login');
    }
    expect(paths).to.deep.equal([]);
  });

  for (const [title, more] of [
    ['a login', { credentials: { credentials: () => [{ name: 'Authorization', value: 'Bearer own' }] } }],
    ['a login that has expired', { credentials: { credentials: () => Promise.reject(new Error('over')) } }],
    ['a bearer token', { forwardHeaders: [{ name: 'Authorization', value: 'Bearer own' }] }],
  ] as const) {
    it(`serves no metadata when the workload has ${title} of its own`, async () => {
      const { proxy } = await open({}, more);
      const response = await fetch(new URL(`${METADATA}/mcp`, proxy.url));
      expect([response.status, await response.json()]).to.deep.equal([404, { error: 'not_found' }]);
      expect((await post(proxy.url)).headers.get('www-authenticate')).to.equal(null);
    });
  }

  it('serves no metadata and logs the reason when the metadata of the remote is for another server', async () => {
    const { world, proxy } = await open();
    world.edit = (path, document) =>
      path.startsWith(METADATA) ? { ...document, resource: 'https://bank.example/mcp' } : document;
    expect((await fetch(new URL(`${METADATA}/mcp`, proxy.url))).status).to.equal(404);
    const { err } = Object(logger.lines.at(-1)?.fields);
    expect(err).to.be.an('error').with.property('message').that.includes('bank.example');
  });
});
