import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AuthProvider, Identity } from '@portolan/plugin-api';
import { leavesNothingOpen } from '../leaves-nothing-open.ts';
import { createTestContext } from '../test-context.ts';
import type { AuthProviderUnderTest } from './auth-provider-under-test.ts';

export interface Outcome {
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
