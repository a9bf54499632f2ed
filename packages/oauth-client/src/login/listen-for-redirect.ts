import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { findPathFault, joinAddress } from '@portolan/plugin-api';
import { callbackPortTaken } from '../errors.ts';
import { LOGIN_PAGE_POLICY, loginPage, type LoginPage } from './login-page.ts';

export interface RedirectListener {
  readonly redirectUri: string;
  /**
   * Resolves to the redirect with the login's state; the browser waits for its page. Other states do not end
   * the login, because any page could cause one.
   */
  redirected(state: string): Promise<Redirect>;
  close(): Promise<void>;
}

export interface Redirect {
  readonly url: URL;
  show(page: LoginPage): void;
}

const PATH = '/callback';

export function redirectUriAt(port: number): string {
  return `http://localhost:${port}${PATH}`;
}

/**
 * Listens for a redirect (RFC 8252, section 7.3) on both loopback addresses, since `localhost` may mean
 * either and another program could receive the redirect on one. For a port in use, chooses another if
 * `mayMove` is set, otherwise throws ERR_LOGIN_PORT. Requests with another path, method, host or state do not
 * count.
 */
export async function listenForRedirect(port: number, mayMove: boolean): Promise<RedirectListener> {
  const redirect = Promise.withResolvers<Redirect>();
  const { servers, port: own } = await listen(port, mayMove);
  const redirectUri = redirectUriAt(own);
  let expected: string | undefined;
  const respond = (request: IncomingMessage, response: ServerResponse): void => {
    const target = request.url ?? '';
    const url = findPathFault(target) === undefined ? joinAddress(new URL(redirectUri), target) : undefined;
    const isHere = [`localhost:${own}`, `127.0.0.1:${own}`, `[::1]:${own}`].includes(
      request.headers.host ?? '',
    );
    const isAnswer =
      isHere &&
      request.method === 'GET' &&
      url?.pathname === PATH &&
      (url.searchParams.has('code') || url.searchParams.has('error'));
    if (!isAnswer) return show(response, 404, { went: 'elsewhere' });
    const states = url.searchParams.getAll('state');
    if (expected === undefined || states.length !== 1 || states[0] !== expected)
      return show(response, 400, { went: 'astray' });
    expected = undefined;
    redirect.resolve({ url, show: (page) => show(response, page.went === 'well' ? 200 : 400, page) });
  };
  for (const server of servers) server.on('request', respond);
  return {
    redirectUri,
    redirected: async (state) => {
      expected = state;
      return await redirect.promise;
    },
    close: async () => {
      await Promise.all(servers.map((server) => closeServer(server)));
    },
  };
}

async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return;
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  // Give a page in progress time to arrive. A browser's keep-alive connection must not delay closing further.
  const timer = setTimeout(() => server.closeAllConnections(), 500);
  await closed;
  clearTimeout(timer);
}

/** Maximum number of attempts to find a port that is free on both loopback addresses. */
const MAX_TRIES = 10;

async function listen(
  port: number,
  mayMove: boolean,
): Promise<{ readonly servers: readonly Server[]; readonly port: number }> {
  for (let tries = 0; ; tries += 1) {
    const requested = tries === 0 ? port : 0;
    try {
      return await listenOnBoth(requested);
    } catch (error) {
      const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
      if (!isTaken) throw error;
      const mayRetry = mayMove || port === 0;
      if (!mayRetry || tries === MAX_TRIES) throw callbackPortTaken(port, error);
    }
  }
}

/** Listens on 127.0.0.1 and, if available, ::1. Throws EADDRINUSE when one is in use. */
async function listenOnBoth(
  requested: number,
): Promise<{ readonly servers: readonly Server[]; readonly port: number }> {
  const servers: Server[] = [];
  let port = requested;
  try {
    for (const host of ['127.0.0.1', '::1']) {
      const server = createServer({ maxHeaderSize: 32 * 1024, requestTimeout: 10_000 });
      if (!(await listenAt(server, port, host))) continue;
      servers.push(server);
      const address = server.address();
      if (typeof address === 'object' && address !== null) ({ port } = address);
    }
    return { servers, port };
  } catch (error) {
    await Promise.all(servers.map((server) => closeServer(server)));
    throw error;
  }
}

/** Returns false for ::1 on a machine without IPv6. */
async function listenAt(server: Server, port: number, host: string): Promise<boolean> {
  try {
    server.listen({ port, host, exclusive: true });
    await once(server, 'listening');
    return true;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (host === '::1' && (code === 'EADDRNOTAVAIL' || code === 'EAFNOSUPPORT')) return false;
    throw error;
  }
}

function show(response: ServerResponse, status: number, page: LoginPage): void {
  const body = loginPage(page);
  response.writeHead(status, {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Content-Security-Policy': LOGIN_PAGE_POLICY,
    'Referrer-Policy': 'no-referrer',
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
    Connection: 'close',
  });
  response.end(body);
}
