import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AuthProvider, AuthProviderKind, Identity, PluginContext } from '@portolan/plugin-api';
import { leavesNothingOpen } from '../leaves-nothing-open.ts';
import { createTestContext } from '../test-context.ts';

export interface AuthProviderUnderTest {
  readonly name: string;
  readonly kind: AuthProviderKind;
  readonly blocks?: readonly unknown[];
  readonly create: (context: PluginContext) => AuthProvider | Promise<AuthProvider>;
  /** Creates a Koa application: `() => new Koa()`. */
  readonly app: () => KoaApplication;
  /** Requests with valid credentials. At least one for a kind that identifies callers. */
  readonly accepted?: readonly {
    readonly title: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly identity: Identity;
  }[];
  /** Identity of every request, for a kind that does not identify callers. Default: none. */
  readonly everybody?: Identity;
  /** Requests with invalid credentials: expired, for another audience, signed with an unknown key. */
  readonly refused?: readonly {
    readonly title: string;
    readonly headers: Readonly<Record<string, string>>;
  }[];
  /** Performs a browser login for each test, if the kind has logins. */
  readonly openLogins?: () => Promise<LoginsUnderTest>;
}

export interface LoginsUnderTest {
  readonly provider: AuthProvider;
  /**
   * Approves the login as the user `name` at the login page `url`. Returns the address to which the browser
   * is redirected.
   */
  readonly agree: (name: string, url: URL) => URL | Promise<URL>;
  readonly close: () => Promise<void>;
}

export interface KoaApplication {
  use(middleware: AuthProvider['verify']): unknown;
  callback(): RequestListener;
  on(event: 'error', listener: (error: unknown) => void): unknown;
}

interface Outcome {
  readonly status: number;
  /** How often the provider called the next middleware. */
  readonly wentOn: number;
  readonly identity: Identity | undefined;
  readonly body: string;
}

export type Send = (headers?: Readonly<Record<string, string>>) => Promise<Outcome>;

/** Runs an action with a new instance in an application on loopback. Fails when a resource stays open. */
export async function useAuthProvider(
  options: AuthProviderUnderTest,
  action: (send: Send, provider: AuthProvider) => Promise<void>,
): Promise<void> {
  await leavesNothingOpen(async () => {
    const provider = await options.create(createTestContext());
    const app = options.app();
    let wentOn = 0;
    let identity: Identity | undefined;
    // Without a listener, Koa would print unexpected refusals.
    app.on('error', () => undefined);
    app.use(provider.verify);
    app.use((ctx) => {
      wentOn += 1;
      identity = provider.identify(ctx);
      ctx.body = 'passed';
    });
    const server = createServer(app.callback()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    // The address of a listening TCP server is always an object.
    const { port } = server.address() as AddressInfo;
    try {
      await action(async (headers = {}) => {
        wentOn = 0;
        identity = undefined;
        const response = await fetch(`http://127.0.0.1:${port}/`, {
          headers: { ...headers, connection: 'close' },
        });
        return { status: response.status, wentOn, identity, body: await response.text() };
      }, provider);
    } finally {
      server.closeAllConnections();
      server.close();
      await provider.close?.();
      await provider.close?.();
    }
  });
}
