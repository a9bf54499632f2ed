import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { openFetch } from '@portolan/outbound';
import type { FetchOptions } from '@portolan/plugin-api';
import { findLogin } from '../../src/discovery/find-login.ts';
import { probeRemote } from '../../src/discovery/probe-remote.ts';
import { beginCodeFlow } from '../../src/login/code-flow.ts';
import { beginDeviceFlow } from '../../src/login/device-flow.ts';
import { configurationOf } from '../../src/registration/oauth-client.ts';
import { registerClient } from '../../src/registration/register-client.ts';
import type { TokenSet } from '../../src/tokens/token-set.ts';
import { OauthWeb } from '../../src/web/oauth-web.ts';

/** What a lie changes; left out, what an honest server says. */
export interface Lie {
  /** The challenge of the remote. */
  readonly challenge?: string;
  /** Members of documents, in place of the honest ones; undefined takes one away. */
  readonly resource?: Readonly<Record<string, unknown>>;
  readonly issuer?: Readonly<Record<string, unknown>>;
  readonly registration?: Readonly<Record<string, unknown>>;
  readonly token?: Readonly<Record<string, unknown>>;
  readonly device?: Readonly<Record<string, unknown>>;
  /** Answers in place of a document. */
  readonly answers?: Readonly<Record<string, (response: ServerResponse, own: string) => void>>;
  /** Parameters of the redirect to this machine. */
  readonly redirect?: Readonly<Record<string, string | undefined>>;
  /** Whether the login is one by device. */
  readonly byDevice?: boolean;
}

export const PLACES = {
  resource: '/.well-known/oauth-protected-resource/mcp',
  issuer: '/.well-known/oauth-authorization-server',
  registration: '/register',
  token: '/token',
  device: '/device',
} as const;

const { signal } = new AbortController();

/** A name that leads to this machine, whatever it has led to before; no other is asked for anywhere. */
async function rebinding(): Promise<{ readonly address: string; readonly family: number }[]> {
  return [{ address: '127.0.0.1', family: 4 }];
}

/** A remote that is its own authorization server, made by hand, and tells one lie at a time. */
export class LyingWorld {
  readonly #server: Server;
  readonly #web: OauthWeb;
  readonly own: string;
  lie: Lie = {};
  /** Paths that were asked, in order. */
  readonly asked: string[] = [];
  /** What was sent to them, in order, and has arrived. */
  readonly sent: { readonly path: string; readonly body: string }[] = [];

  static async open(): Promise<LyingWorld> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    // SAFETY: a server that listens on a port has an address of this form.
    const own = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const options = {
      named: [own],
      openFetch: (rules: FetchOptions) => openFetch(rules, { resolve: rebinding }),
      environment: {},
    };
    return new LyingWorld(server, own, await OauthWeb.open(options));
  }

  private constructor(server: Server, own: string, web: OauthWeb) {
    this.#server = server;
    this.#web = web;
    this.own = own;
    server.on('request', (request, response) => void this.#hear(request, response));
  }

  /** Logs somebody in who does all that is asked; what comes of it. */
  async logIn(lie: Lie): Promise<TokenSet> {
    this.lie = lie;
    this.asked.length = 0;
    const remote = new URL('/mcp', this.own);
    const web = this.#web;
    const probe = await probeRemote(remote, [{ method: 'POST', headers: {} }], web, signal);
    const challenge = probe.wants === 'token' ? probe.challenge : new Map<string, string>();
    const named = { issuer: undefined, clientId: undefined, authorizeUrl: undefined, tokenUrl: undefined };
    const login = await findLogin(
      remote,
      { ...named, resource: undefined, scopes: undefined },
      challenge,
      web,
      signal,
    );
    const redirectUri = 'http://localhost:8666/callback';
    const { byDevice: usesDevice = false } = lie;
    const request = { redirectUri, scopes: login.scopes, usesDevice };
    const client = await registerClient(login.server, request, web, signal);
    const configuration = await configurationOf(login.server, client, web);
    const { scopes, resource } = login;
    const clock = (): Date => new Date();
    if (usesDevice) {
      return await (
        await beginDeviceFlow(configuration, { scopes, scopeParamName: 'scope', resource, extra: {} }, web)
      ).finish(clock, signal);
    }
    const flow = await beginCodeFlow(configuration, {
      redirectUri,
      scopes,
      scopeParamName: 'scope',
      resource,
      extra: {},
    });
    const redirect = new URL(redirectUri);
    const honest = { code: 'a-code', state: flow.proof.state, iss: this.own };
    for (const [name, value] of Object.entries({ ...honest, ...lie.redirect })) {
      if (value !== undefined) redirect.searchParams.append(name, value);
    }
    return await flow.finish(redirect, clock);
  }

  async close(): Promise<void> {
    await this.#web.close();
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
  }

  async #hear(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url: path = '' } = request;
    this.asked.push(path);
    this.sent.push({ path, body: await readText(request).catch(() => '') });
    this.#answer(path, response);
  }

  #answer(path: string, response: ServerResponse): void {
    const { own, lie } = this;
    const instead = lie.answers?.[path];
    if (instead !== undefined) return instead(response, own);
    const [name] = Object.entries(PLACES).find(([, place]) => place === path) ?? [];
    // SAFETY: a key of the object that was just gone through.
    const document = name === undefined ? undefined : this.#documentAt(name as keyof typeof PLACES);
    if (document !== undefined) {
      response.writeHead(path === PLACES.registration ? 201 : 200, { 'content-type': 'application/json' });
      response.end(JSON.stringify(document));
    } else if (path === '/mcp') {
      response.writeHead(401, { 'www-authenticate': lie.challenge ?? 'Bearer' }).end();
    } else response.writeHead(404).end();
  }

  #documentAt(name: keyof typeof PLACES): object {
    const { own } = this;
    const honest = {
      resource: { resource: `${own}/mcp`, authorization_servers: [own] },
      issuer: {
        issuer: own,
        authorization_endpoint: `${own}/authorize`,
        token_endpoint: `${own}/token`,
        registration_endpoint: `${own}/register`,
        device_authorization_endpoint: `${own}/device`,
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none'],
        authorization_response_iss_parameter_supported: true,
      },
      registration: { client_id: 'a-client', redirect_uris: ['http://localhost:8666/callback'] },
      token: { access_token: 'a-token', token_type: 'Bearer', expires_in: 3600 },
      device: {
        device_code: 'd',
        user_code: 'ABCD',
        verification_uri: `${own}/go`,
        expires_in: 60,
        interval: 1,
      },
    };
    return { ...honest[name], ...this.lie[name] };
  }
}
