import { randomUUID } from 'node:crypto';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { resolveReference } from '@portolan/plugin-api';
import { TestLine } from './test-line.ts';
import {
  createTestKey,
  signTestToken,
  type TestAlgorithm,
  type TestKey,
  type TestTokenOptions,
  toJwk,
} from './test-token.ts';

export interface TestIssuerOptions {
  /** Default: RS256. */
  readonly algorithm?: TestAlgorithm;
  /** Audience (`aud`) of the tokens. Default: `portolan`. */
  readonly audience?: string;
  /** Path after the origin, such as `/realms/main`. Default: none. */
  readonly path?: string;
  /** Certificate and key as PEM. The issuer is then `https://localhost:…`. */
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly clock?: () => Date;
}

export const TEST_ISSUER_ENDPOINTS = ['discovery', 'jwks', 'introspection'] as const;
export type TestIssuerEndpoint = (typeof TEST_ISSUER_ENDPOINTS)[number];

/** Received request. Includes those during a delay, but not those during an outage. */
export interface TestIssuerRequest {
  readonly endpoint: TestIssuerEndpoint | undefined;
  readonly method: string;
  readonly url: string;
  readonly authorization: string | undefined;
  readonly body: string;
}

/**
 * OpenID Connect issuer for tests on a free loopback port: discovery, keys (JWKS), introspection (RFC 7662)
 * and signed tokens, but no login page.
 */
export interface TestIssuer {
  readonly issuerUrl: string;
  readonly discoveryUrl: string;
  readonly jwksUrl: string;
  readonly introspectionUrl: string;
  readonly kid: string;
  readonly requests: readonly TestIssuerRequest[];
  count(endpoint: TestIssuerEndpoint): number;
  /**
   * Returns a signed token. Default claims: `iss`, `aud`, `sub` (`someone`), `iat` (now) and `exp` (in five
   * minutes); undefined omits a claim. The options create invalid tokens.
   */
  sign(claims?: Readonly<Record<string, unknown>>, options?: TestTokenOptions): string;
  /** Returns an opaque token, whose introspection has the claims of `sign`. */
  issueOpaque(claims?: Readonly<Record<string, unknown>>): string;
  revoke(token: string): void;
  /** Creates a signing key, and returns its `kid`. Without `keepOld`, old keys are no longer published. */
  rotateKeys(options?: { readonly keepOld?: boolean }): Promise<string>;
  /** Closes every connection at once. The port stays in use. */
  takeDown(): void;
  bringUp(): void;
  setDelay(ms: number): void;
  /**
   * Replaces the responses of an endpoint, such as by a huge document or a redirect. Undefined restores them.
   */
  replace(endpoint: TestIssuerEndpoint, response: RequestListener | undefined): void;
  close(): Promise<void>;
}

/** Starts a test issuer. Close it at the end of the test. */
export async function startTestIssuer(options: TestIssuerOptions = {}): Promise<TestIssuer> {
  const { algorithm = 'RS256', audience = 'portolan', path = '', clock = () => new Date() } = options;
  const stranger = await createTestKey(algorithm);
  let keys: readonly [TestKey, ...TestKey[]] = [await createTestKey(algorithm)];
  const opaque = new Map<string, object>();
  const requests: TestIssuerRequest[] = [];
  const replaced = new Map<TestIssuerEndpoint, RequestListener>();
  const line = new TestLine();
  const server =
    options.tls === undefined ? createServer(handle) : createTlsServer({ ...options.tls }, handle);
  const issuerUrl = `${await listen(server, line)}${path}`;
  const urls = {
    discoveryUrl: `${issuerUrl}/.well-known/openid-configuration`,
    jwksUrl: `${issuerUrl}/jwks`,
    introspectionUrl: `${issuerUrl}/introspect`,
  };

  function handle(request: IncomingMessage, response: ServerResponse): void {
    // The client may have disconnected.
    result(request, response).catch(() => response.destroy());
  }

  async function result(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    const href = resolveReference(new URL(issuerUrl), url)?.href;
    const endpoint = TEST_ISSUER_ENDPOINTS.find((name) => urls[`${name}Url`] === href);
    const body = await textOf(request);
    requests.push({ endpoint, method, url, authorization: headers.authorization, body });
    await line.wait();
    const other = endpoint === undefined ? undefined : replaced.get(endpoint);
    if (other !== undefined) return other(request, response);
    const document = endpoint === undefined ? undefined : documentOf(endpoint, body);
    response.writeHead(document === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(document ?? { error: 'not_found' }));
  }

  function documentOf(endpoint: TestIssuerEndpoint, body: string): object {
    switch (endpoint) {
      case 'discovery':
        return {
          issuer: issuerUrl,
          jwks_uri: urls.jwksUrl,
          introspection_endpoint: urls.introspectionUrl,
          id_token_signing_alg_values_supported: [algorithm],
        };
      case 'jwks':
        return { keys: keys.map(toJwk) };
      case 'introspection': {
        const claims = opaque.get(new URLSearchParams(body).get('token') ?? '');
        return claims === undefined ? { active: false } : { active: true, ...claims };
      }
      default:
        return endpoint satisfies never;
    }
  }

  function complete(claims: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const now = Math.floor(clock().getTime() / 1000);
    return { iss: issuerUrl, aud: audience, sub: 'someone', iat: now, exp: now + 300, ...claims };
  }

  return {
    issuerUrl,
    ...urls,
    requests,
    get kid() {
      return keys[0].kid;
    },
    count: (endpoint) => requests.filter((request) => request.endpoint === endpoint).length,
    sign(claims = {}, token = {}) {
      const key = token.stranger === true ? { ...stranger, kid: keys[0].kid } : keys[0];
      return signTestToken(key, complete(claims), token);
    },
    issueOpaque(claims = {}) {
      const token = randomUUID();
      opaque.set(token, complete(claims));
      return token;
    },
    revoke: (token) => void opaque.delete(token),
    async rotateKeys({ keepOld = false } = {}) {
      const key = await createTestKey(algorithm);
      keys = keepOld ? [key, ...keys] : [key];
      return key.kid;
    },
    takeDown: () => line.cut(),
    bringUp: () => line.mend(),
    setDelay: (ms) => line.setDelay(ms),
    replace(endpoint, listener) {
      if (listener === undefined) replaced.delete(endpoint);
      else replaced.set(endpoint, listener);
    },
    async close() {
      line.cut();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function listen(server: Server, line: TestLine): Promise<string> {
  const secure = 'setSecureContext' in server;
  server.on('connection', (socket: Socket) => line.join(socket));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  // SAFETY: a listening TCP server has an address with a port.
  const { port } = server.address() as AddressInfo;
  return secure ? `https://localhost:${port}` : `http://127.0.0.1:${port}`;
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}
