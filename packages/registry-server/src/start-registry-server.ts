import { parseDuration } from '@portolan/plugin-api';
import { rememberingHooks } from './responses/remembering-hooks.ts';
import { createRegistryServer, type RegistryServerOptions } from './app.ts';
import { recordRefusal } from './listen/record-refusal.ts';
import {
  CONNECTION_LIMITS,
  type ConnectionLimits,
  type Listener,
  openListener,
} from './listen/open-listener.ts';

export interface StartOptions extends Omit<RegistryServerOptions, 'listensOnLoopback'> {
  readonly connectionLimits?: Partial<ConnectionLimits>;
}

export interface RunningRegistryServer {
  /** Address at which this machine reaches the public listener. */
  readonly publicUrl: string;
  /** Address at which this machine reaches the internal listener. Undefined when the listener is off. */
  readonly internalUrl: string | undefined;
  readonly bound: Pick<Listener, 'address' | 'isLoopback'>;
  /** `HOST:PORT` that the internal listener is bound to; undefined when it is off. */
  readonly internalAddress: string | undefined;
  /**
   * Stops the server. Readiness fails at once; running requests may complete within `server.shutdownTimeout`.
   * Idempotent.
   */
  close(): Promise<void>;
}

/** Starts both listeners. Throws ERR_ADDRESS_IN_USE and related errors, with nothing left open. */
export async function startRegistryServer(options: StartOptions): Promise<RunningRegistryServer> {
  let stopping = false;
  const readiness = async () =>
    stopping ? { problems: ['The server is stopping.'], warnings: [] } : options.readiness();
  const open: Listener[] = [];
  const { publicApp, internalApp } = createRegistryServer({
    ...options,
    readiness,
    listensOnLoopback: {
      public: () => open[0]?.isLoopback === true,
      internal: () => open[1]?.isLoopback === true,
    },
  });
  const { config } = options;
  const limits = { ...CONNECTION_LIMITS, ...options.connectionLimits };
  const graceMs = parseDuration(config.shutdownTimeout);
  const close = async (): Promise<void> => {
    stopping = true;
    // In sequence, so that the internal listener can report that the public one is stopping.
    for (const listener of open) await listener.close(graceMs);
  };
  try {
    open.push(
      await openListener({
        name: 'public',
        address: config.address,
        limits,
        logger: options.logger,
        handle: publicApp.callback(),
        refused: recordRefusal({ ...options, hooks: rememberingHooks(options) }),
      }),
    );
    if (config.internalAddress !== 'off') {
      open.push(
        await openListener({
          name: 'internal',
          address: config.internalAddress,
          limits,
          logger: options.logger,
          handle: internalApp.callback(),
          // Requests to the internal listener are not logged or audited.
          refused: () => undefined,
        }),
      );
    }
  } catch (error) {
    await close();
    throw error;
  }
  // SAFETY: the first one is open, or an error was thrown.
  const [publicListener, internalListener] = open as [Listener, Listener?];
  let closing: Promise<void> | undefined;
  return {
    publicUrl: publicListener.url,
    internalUrl: internalListener?.url,
    bound: publicListener,
    internalAddress: internalListener?.address,
    close: () => (closing ??= close()),
  };
}
