import { parseDuration } from '@portolan/plugin-api';
import { rememberingHooks } from './answers/remembering-hooks.ts';
import { createRegistryServer, type RegistryServerOptions } from './app.ts';
import { recordRefusal } from './listen/record-refusal.ts';
import {
  CONNECTION_LIMITS,
  type ConnectionLimits,
  type Listener,
  openListener,
} from './listen/open-listener.ts';

export interface StartOptions extends RegistryServerOptions {
  readonly connectionLimits?: Partial<ConnectionLimits>;
}

export interface RunningRegistryServer {
  /** Where the public listener answers. */
  readonly publicUrl: string;
  /** Where the internal listener answers; undefined when it is off. */
  readonly internalUrl: string | undefined;
  /**
   * Stops: readiness says so at once, running requests are answered, but no
   * longer waited for than `server.shutdownTimeout`. Safe to call twice.
   */
  close(): Promise<void>;
}

/**
 * Listens on the addresses of the configuration. Throws ERR_ADDRESS_IN_USE and
 * its kin with nothing left open.
 */
export async function startRegistryServer(options: StartOptions): Promise<RunningRegistryServer> {
  let stopping = false;
  const readiness = async () => (stopping ? ['The server is stopping.'] : options.readiness());
  const { publicApp, internalApp } = createRegistryServer({ ...options, readiness });
  const { config } = options;
  const limits = { ...CONNECTION_LIMITS, ...options.connectionLimits };
  const graceMs = parseDuration(config.shutdownTimeout);
  const open: Listener[] = [];
  const close = async (): Promise<void> => {
    stopping = true;
    // One after the other, so that the internal one can tell that the public one is stopping.
    for (const listener of open) await listener.close(graceMs);
  };
  try {
    open.push(
      await openListener({
        name: 'public',
        address: config.address,
        limits,
        handle: publicApp.callback(),
        refused: recordRefusal({ ...options, hooks: rememberingHooks(options) }),
      }),
    );
    if (config.internalAddress !== 'off') {
      const handle = internalApp.callback();
      open.push(
        await openListener({
          name: 'internal',
          address: config.internalAddress,
          limits,
          handle,
          // As for all requests there: no log and no audit.
          refused: () => undefined,
        }),
      );
    }
  } catch (error) {
    await close();
    throw error;
  }
  const [publicListener, internalListener] = open;
  let closing: Promise<void> | undefined;
  return {
    // SAFETY: the first one was opened above, or an error thrown.
    publicUrl: (publicListener as Listener).url,
    internalUrl: internalListener?.url,
    close: () => (closing ??= close()),
  };
}
