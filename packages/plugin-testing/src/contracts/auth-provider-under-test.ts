import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AuthProvider, AuthProviderKind, Identity, PluginContext } from '@portolan/plugin-api';
import { leavesNothingOpen } from '../leaves-nothing-open.ts';
import { createTestContext } from '../test-context.ts';

export interface AuthProviderUnderTest {
  /** Stands in the title of the suite. */
  readonly name: string;
  readonly kind: AuthProviderKind;
  /** Blocks that can be used, with their defaults: the kind's `check` has to find nothing wrong with them. */
  readonly blocks?: readonly unknown[];
  /** Makes an instance. Called for every test. */
  readonly create: (context: PluginContext) => AuthProvider | Promise<AuthProvider>;
  /** A new Koa application to try the middleware in: `() => new Koa()`. */
  readonly app: () => KoaApplication;
  /** Requests with a good credential, and who sent them. For a kind that identifies, at least one. */
  readonly accepted?: readonly {
    readonly title: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly identity: Identity;
  }[];
  /** Of a kind that does not identify: whom every request counts as. Left out: nobody. */
  readonly everybody?: Identity;
  /** Requests with a bad credential: expired, for another audience, signed by a stranger. */
  readonly refused?: readonly {
    readonly title: string;
    readonly headers: Readonly<Record<string, string>>;
  }[];
  /** Of a kind that logs people in with a browser: how somebody does. Called for every test. */
  readonly openLogins?: () => Promise<LoginsUnderTest>;
}

/** A provider with at least one way to log in, and somebody who goes there. */
export interface LoginsUnderTest {
  readonly provider: AuthProvider;
  /** Somebody agrees at the address that a login leads to: where their browser is sent. */
  readonly agree: (name: string, url: URL) => URL | Promise<URL>;
  readonly close: () => Promise<void>;
}

/** The part of a Koa application that the suite needs. */
export interface KoaApplication {
  use(middleware: AuthProvider['verify']): unknown;
  callback(): RequestListener;
  on(event: 'error', listener: (error: unknown) => void): unknown;
}

interface Outcome {
  readonly status: number;
  /** How often the middleware went on to what follows. */
  readonly wentOn: number;
  readonly identity: Identity | undefined;
  readonly body: string;
}

/** Sends one request with these headers. */
export type Send = (headers?: Readonly<Record<string, string>>) => Promise<Outcome>;

/** Puts a new instance in front of a small application on loopback, and sees that nothing stays open. */
export async function useAuthProvider(
  options: AuthProviderUnderTest,
  action: (send: Send, provider: AuthProvider) => Promise<void>,
): Promise<void> {
  await leavesNothingOpen(async () => {
    const provider = await options.create(createTestContext());
    const app = options.app();
    let wentOn = 0;
    let identity: Identity | undefined;
    // A refusal is thrown, and Koa would print what it cannot explain.
    app.on('error', () => undefined);
    app.use(provider.verify);
    app.use((ctx) => {
      wentOn += 1;
      identity = provider.identify(ctx);
      ctx.body = 'passed';
    });
    const server = createServer(app.callback()).listen(0, '127.0.0.1');
    await once(server, 'listening');
    // A TCP server on a port answers an object here, never a path.
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
