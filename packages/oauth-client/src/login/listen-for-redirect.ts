import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import { findPathFault, joinAddress } from '@portolan/plugin-api';
import { callbackPortTaken } from '../errors.ts';
import { LOGIN_PAGE_POLICY, loginPage, type LoginPage } from './login-page.ts';

export interface RedirectListener {
  readonly redirectUri: string;
  /**
   * The address that the browser came back to, with the state of the login; the
   * browser waits for its page. Whatever has another state ends no login: any page
   * could send a browser here.
   */
  redirected(state: string): Promise<Redirect>;
  /** Ends the listener and its connections. Safe to call twice. */
  close(): Promise<void>;
}

export interface Redirect {
  readonly url: URL;
  /** Shows how it went. */
  show(page: LoginPage): void;
}

const PATH = '/callback';

/** Where redirects arrive that are listened for on a port of this machine. */
export function redirectUriAt(port: number): string {
  return `http://localhost:${port}${PATH}`;
}

/**
 * Listens for the one redirect of a login (RFC 8252, section 7.3) on both loopback addresses, since
 * `localhost` may mean either. When one of the two is taken, the port is taken: somebody else could
 * receive the redirect. Then another port is chosen where `mayMove`, else ERR_LOGIN_PORT is thrown.
 * A request with another path, method, host or state gets a response and does not count.
 */
export async function listenForRedirect(port: number, mayMove: boolean): Promise<RedirectListener> {
  const found = Promise.withResolvers<Redirect>();
  const { servers, port: own } = await listen(port, mayMove);
  const redirectUri = redirectUriAt(own);
  let expected: string | undefined;
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
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
    found.resolve({ url, show: (page) => show(response, page.went === 'well' ? 200 : 400, page) });
  };
  for (const server of servers) server.on('request', answer);
  return {
    redirectUri,
    redirected: async (state) => {
      expected = state;
      return await found.promise;
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
  // A page on its way arrives; a browser that keeps its connection does not keep this open.
  const timer = setTimeout(() => server.closeAllConnections(), 500);
  await closed;
  clearTimeout(timer);
}

/** How often a port that the system chose is given up because its other address is taken. */
const MAX_TRIES = 10;

async function listen(
  port: number,
  mayMove: boolean,
): Promise<{ readonly servers: readonly Server[]; readonly port: number }> {
  for (let tries = 0; ; tries += 1) {
    const wanted = tries === 0 ? port : 0;
    try {
      return await listenOnBoth(wanted);
    } catch (error) {
      const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
      if (!isTaken) throw error;
      const mayRetry = mayMove || port === 0;
      if (!mayRetry || tries === MAX_TRIES) throw callbackPortTaken(port, error);
    }
  }
}

/** Listens on 127.0.0.1 and on ::1, where this machine has it. Throws EADDRINUSE when one is taken. */
async function listenOnBoth(
  wanted: number,
): Promise<{ readonly servers: readonly Server[]; readonly port: number }> {
  const servers: Server[] = [];
  let port = wanted;
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

/** Returns false for ::1 on a machine without IPv6, where nobody can listen on it. */
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
