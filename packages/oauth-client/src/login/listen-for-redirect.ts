import { createServer, type Server, type ServerResponse } from 'node:http';
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
 * Listens on this machine for the one redirect of a login (RFC 8252, section
 * 7.3). A taken port is another one where `mayMove`, else ERR_LOGIN_PORT. What
 * has another path, method, host or state is answered and does not count.
 */
export async function listenForRedirect(port: number, mayMove: boolean): Promise<RedirectListener> {
  const found = Promise.withResolvers<Redirect>();
  const server = createServer({ maxHeaderSize: 32 * 1024, requestTimeout: 10_000 });
  const own = await listen(server, port, mayMove);
  const redirectUri = redirectUriAt(own);
  let expected: string | undefined;
  server.on('request', (request, response) => {
    const target = request.url ?? '';
    const url = findPathFault(target) === undefined ? joinAddress(new URL(redirectUri), target) : undefined;
    const isHere = [`localhost:${own}`, `127.0.0.1:${own}`].includes(request.headers.host ?? '');
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
  });
  return {
    redirectUri,
    redirected: async (state) => {
      expected = state;
      return await found.promise;
    },
    close: async () => {
      if (!server.listening) return;
      const closed = once(server, 'close');
      server.close();
      server.closeIdleConnections();
      // A page on its way arrives; a browser that keeps its connection does not keep this open.
      const timer = setTimeout(() => server.closeAllConnections(), 500);
      await closed;
      clearTimeout(timer);
    },
  };
}

async function listen(server: Server, port: number, mayMove: boolean): Promise<number> {
  try {
    server.listen(port, '127.0.0.1');
    await once(server, 'listening');
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    if (!isTaken) throw error;
    if (!mayMove || port === 0) throw callbackPortTaken(port, error);
    return await listen(server, 0, false);
  }
  const address = server.address();
  return typeof address === 'object' && address !== null ? address.port : port;
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
