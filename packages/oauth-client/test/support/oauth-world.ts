import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { type ClientMetadata, errors, Provider } from 'oidc-provider';

export interface OauthWorldOptions {
  readonly clients?: readonly ClientMetadata[];
  /** Life of access tokens in seconds. */
  readonly tokenSeconds?: number;
  /** Left out: opaque, so that only this server can tell what they are good for. */
  readonly accessTokenFormat?: 'opaque' | 'jwt';
  /** What the remote answers somebody with a good token; left out: an answer to `initialize`. */
  readonly serve?: (request: IncomingMessage, response: ServerResponse) => void;
  /** Whether calls of tools need the scope `mcp.write` as well; left out: they do not. */
  readonly guardsCalls?: boolean;
  /** Whether the remote accepts tokens for any resource; left out: for its own address alone. */
  readonly acceptsAnyAudience?: boolean;
  /** Whether the authorization server issues tokens for the remote's own address alone; left out: for any. */
  readonly refusesOtherResources?: boolean;
  /** Whether clients can be registered for the scopes of the remote; left out: they cannot. */
  readonly knowsScopes?: boolean;
  /** Whether there are refresh tokens; left out: there are. */
  readonly refreshes?: boolean;
}

/** What a document becomes on its way to whoever asks for it. */
export type EditDocument = (path: string, document: Record<string, unknown>) => Record<string, unknown>;

const PATH = '/mcp';
const METADATA = `/.well-known/oauth-protected-resource${PATH}`;

/**
 * A remote MCP server that wants tokens, and a real authorization server
 * (oidc-provider) that gives them to whoever `visit`s it, all on loopback.
 */
export class OauthWorld {
  readonly #servers: Server[] = [];
  readonly tokenRequests: URLSearchParams[] = [];
  /** Every token that was given to anybody. */
  readonly issued: string[] = [];
  readonly revoked: string[] = [];
  /** When each refresh token was traded, by this machine's clock. */
  readonly renewedAt: number[] = [];
  /** Life of access tokens from now on, in seconds. */
  tokenSeconds: number;
  /** How many clients were registered. */
  registered = 0;
  /** Ids of clients that were taken back. */
  readonly unregistered: string[] = [];
  readonly provider: Provider;
  readonly issuer: string;
  readonly remote: string;
  edit: EditDocument = (_path, document) => document;
  /** Told of each request, before anything is done about it. */
  watch: (path: string) => void = () => undefined;

  static async open(options: OauthWorldOptions = {}): Promise<OauthWorld> {
    // Clients are those that end connections: a server that ends one for which a request is on its way breaks it.
    const servers = [createServer({ keepAliveTimeout: 0 }), createServer({ keepAliveTimeout: 0 })] as const;
    for (const server of servers) {
      server.listen(0, '127.0.0.1');
      await once(server, 'listening');
    }
    return new OauthWorld(servers, options);
  }

  private constructor([authorization, resource]: readonly [Server, Server], options: OauthWorldOptions) {
    this.#servers.push(authorization, resource);
    this.issuer = `http://localhost:${portOf(authorization)}`;
    this.remote = `http://localhost:${portOf(resource)}${PATH}`;
    this.tokenSeconds = options.tokenSeconds ?? 3600;
    this.provider = this.#createProvider(options);
    const respond = this.provider.callback();
    for (const server of [authorization, resource]) {
      server.on('request', ({ url = '' }) => this.watch(url));
    }
    authorization.on('request', (request, response) => void this.#authorize(request, response, respond));
    resource.on('request', (request, response) => void this.#serve(request, response, options));
  }

  /** As a browser of somebody who agrees to everything, and sends each form as it stands; gives the last page. */
  async visit(
    url: string,
  ): Promise<{ readonly url: string; readonly status: number; readonly text: string }> {
    const cookies = new Map<string, string>();
    let at = url;
    let form: URLSearchParams | undefined;
    for (let hops = 0; hops < 20; hops += 1) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const response: Response = await fetch(at, {
        redirect: 'manual',
        headers: { cookie },
        ...(form === undefined ? {} : { method: 'POST', body: form }),
      });
      form = undefined;
      for (const set of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
        cookies.set(name, value);
      }
      const location = response.headers.get('location');
      if (location !== null) {
        at = new URL(location, at).href;
        continue;
      }
      const text = await response.text();
      const [, action] = /<form[^>]* action="([^"]+)"/.exec(text) ?? [];
      if (action === undefined) return { url: at, status: response.status, text };
      form = new URLSearchParams();
      for (const [input] of text.matchAll(/<input[^>]*>/g)) {
        const of = (name: string): string => new RegExp(`\\b${name}="([^"]*)"`).exec(input)?.[1] ?? '';
        form.set(of('name'), of('value'));
      }
      at = new URL(action, at).href;
    }
    throw new Error(`the browser went round in circles at ${at}`);
  }

  /** A token for the remote, as somebody would have got it elsewhere. */
  async issueToken(): Promise<string> {
    const grant = new this.provider.Grant({ accountId: 'ada', clientId: 'elsewhere' });
    const client = await this.provider.Client.find('elsewhere');
    if (client === undefined) throw new Error('the client of the test is not registered');
    const token = new this.provider.AccessToken({
      client,
      accountId: 'ada',
      grantId: await grant.save(),
      gty: 'authorization_code',
      scope: 'mcp.read',
      aud: this.remote,
      expiresWithSession: false,
    });
    return await token.save();
  }

  /** From now on no refresh token is good any more. */
  async forgetGrants(): Promise<void> {
    for (const text of this.issued) {
      const token = await this.provider.RefreshToken.find(text, { ignoreExpiration: true });
      await token?.destroy();
    }
  }

  /** From now on no access token is good any more of those that were given. */
  async forgetTokens(): Promise<void> {
    // What is given meanwhile is good.
    const inputs = this.issued.slice();
    for (const text of inputs) await (await this.provider.AccessToken.find(text))?.destroy();
  }

  /** Ends the authorization server; nothing listens at its address until `returnAuthorization`. */
  async stopAuthorization(): Promise<void> {
    const [server] = this.#servers;
    server?.closeAllConnections();
    await new Promise((resolve) => server?.close(resolve));
  }

  async returnAuthorization(): Promise<void> {
    const [server] = this.#servers;
    server?.listen(Number(new URL(this.issuer).port), '127.0.0.1');
    if (server !== undefined) await once(server, 'listening');
  }

  async close(): Promise<void> {
    for (const server of this.#servers) {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    }
  }

  #createProvider({
    clients = [],
    accessTokenFormat = 'opaque',
    refreshes = true,
    knowsScopes = false,
    refusesOtherResources = false,
  }: OauthWorldOptions): Provider {
    const provider = new Provider(this.issuer, {
      clients: [
        ...clients,
        { client_id: 'elsewhere', client_secret: 'secret', redirect_uris: ['https://elsewhere.example/'] },
      ],
      cookies: { keys: [randomBytes(16).toString('hex')] },
      features: {
        devInteractions: { enabled: false },
        registration: { enabled: true },
        registrationManagement: { enabled: true },
        revocation: { enabled: true },
        deviceFlow: { enabled: true },
        resourceIndicators: {
          enabled: true,
          useGrantedResource: () => true,
          getResourceServerInfo: (_ctx, resource) => {
            if (refusesOtherResources && resource !== this.remote) throw new errors.InvalidTarget();
            return { scope: 'mcp.read mcp.write', accessTokenTTL: this.tokenSeconds, accessTokenFormat };
          },
        },
      },
      scopes: ['openid', 'offline_access', ...(knowsScopes ? ['mcp.read', 'mcp.write'] : [])],
      claims: { openid: ['sub', 'name'] },
      pkce: { required: () => true },
      issueRefreshToken: async () => refreshes,
      rotateRefreshToken: true,
      ttl: {
        AccessToken: () => this.tokenSeconds,
        RefreshToken: 3600,
        Session: 600,
        Interaction: 600,
        Grant: 3600,
        IdToken: 600,
        DeviceCode: 600,
      },
      interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
      findAccount: (_ctx, id) => ({ accountId: id, claims: () => ({ sub: id, name: 'Ada' }) }),
    });
    provider.use(async (ctx, next) => {
      await next();
      if (ctx.path === '/token/revocation') this.revoked.push(String(ctx['oidc'].body.token));
      if (ctx.method === 'POST' && ctx.path === '/reg') this.registered += 1;
      if (ctx.method === 'DELETE' && ctx.path.startsWith('/reg/'))
        this.unregistered.push(ctx.path.slice('/reg/'.length));
      if (ctx.path === '/token') {
        const { access_token: access, refresh_token: refresh } = Object(ctx.body);
        this.issued.push(...[access, refresh].filter((token) => typeof token === 'string'));
        // SAFETY: the body of a token request is a form.
        const parameters = new URLSearchParams(ctx['oidc'].body as Record<string, string>);
        this.tokenRequests.push(parameters);
        if (parameters.get('grant_type') === 'refresh_token') this.renewedAt.push(Date.now());
      }
      const { body }: { readonly body?: unknown } = ctx;
      if (ctx.path.startsWith('/.well-known/') && typeof body === 'object' && body !== null) {
        ctx.body = this.edit(ctx.path, { ...body });
      }
    });
    return provider;
  }

  async #authorize(
    request: IncomingMessage,
    response: ServerResponse,
    respond: (request: IncomingMessage, response: ServerResponse) => Promise<void>,
  ): Promise<void> {
    if (request.url === '/.well-known/oauth-authorization-server') {
      request.url = '/.well-known/openid-configuration';
    }
    if (request.url?.startsWith('/interaction/') !== true) return await respond(request, response);
    const { params, prompt } = await this.provider.interactionDetails(request, response);
    const grant = new this.provider.Grant({ accountId: 'ada', clientId: String(params['client_id']) });
    grant.addOIDCScope('openid offline_access mcp.read mcp.write');
    grant.addResourceScope(String(params['resource']), 'mcp.read mcp.write');
    const consent = { grantId: await grant.save() };
    const result = prompt.name === 'login' ? { login: { accountId: 'ada' }, consent } : { consent };
    await this.provider.interactionFinished(request, response, result, { mergeWithLastSubmission: true });
  }

  async #serve(
    request: IncomingMessage,
    response: ServerResponse,
    { serve, guardsCalls = false, acceptsAnyAudience = false }: OauthWorldOptions,
  ): Promise<void> {
    if (request.url === METADATA) {
      const document = this.edit(METADATA, {
        resource: this.remote,
        authorization_servers: [this.issuer],
        scopes_supported: ['mcp.read'],
        bearer_methods_supported: ['header'],
      });
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document));
      return;
    }
    const token = /^Bearer (.+)$/.exec(request.headers.authorization ?? '')?.[1];
    const accessToken = token === undefined ? undefined : await this.provider.AccessToken.find(token);
    if (accessToken === undefined || (accessToken.aud !== this.remote && !acceptsAnyAudience)) {
      const where = `resource_metadata="${new URL(this.remote).origin}${METADATA}"`;
      const error = token === undefined ? '' : ', error="invalid_token"';
      response.writeHead(401, { 'www-authenticate': `Bearer ${where}${error}` }).end();
      return;
    }
    if (serve !== undefined) return serve(request, response);
    const query: unknown = JSON.parse((await readText(request)) || '{}');
    const { id = null, method } = Object(query) as { readonly id?: unknown; readonly method?: unknown };
    if (guardsCalls && method === 'tools/call' && !accessToken.scopes.has('mcp.write')) {
      const challenge = 'Bearer error="insufficient_scope", scope="mcp.write"';
      response.writeHead(403, { 'www-authenticate': challenge }).end('{"error":"insufficient_scope"}');
      return;
    }
    const result = method === 'initialize' ? GREETING : {};
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  }
}

const GREETING = {
  protocolVersion: '2025-11-25',
  capabilities: { tools: {} },
  serverInfo: { name: 'notes', version: '1.0.0' },
};

function portOf(server: Server): number {
  // SAFETY: a server that listens on a port has an address of this form.
  return (server.address() as AddressInfo).port;
}
