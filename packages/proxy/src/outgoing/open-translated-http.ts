import type { HttpBackend, MessageBackend } from '@portolan/plugin-api';
import { clientPathOf } from '../request/client-path.ts';
import type { ProxyOptions } from '../request/proxy-options.ts';
import type { Service } from '../request/service.ts';
import { openHttpBackend } from './open-http-backend.ts';

export interface TranslatedHttpOptions {
  readonly connectMs: number;
  /** Opens the listener's side of a backend of messages. `path` is the path for clients. */
  readonly openBridge: (backend: MessageBackend, path: string) => Service;
}

/**
 * Opens a bridge to an HTTP server, so that clients of all protocol revisions reach it. The proxy has sessions of
 * its own with the server. Throws the errors of `openHttpBackend`.
 */
export async function openTranslatedHttp(
  server: HttpBackend,
  { version, middleware = [], refused, logger }: ProxyOptions,
  { connectMs, openBridge }: TranslatedHttpOptions,
): Promise<Service> {
  const opened = await openHttpBackend(server, {
    version,
    middleware,
    connectMs,
    settled: (outcome) => refused?.(outcome !== 'responded' && outcome.reason === 'unauthorized'),
    tell: (line) => logger.debug({ line }, 'HTTP server'),
  });
  const service = openBridge({ ...opened.backend, translatesEras: true }, clientPathOf(server));
  return {
    steps: service.steps,
    get health() {
      return service.health;
    },
    get stats() {
      return service.stats;
    },
    announceListChanges: () => service.announceListChanges(),
    close: async () => {
      await service.close();
      await opened.close();
      server.agent?.destroy();
    },
  };
}
