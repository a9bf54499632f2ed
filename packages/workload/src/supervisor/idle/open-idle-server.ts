import { required, type Supervision } from '../supervision.ts';
import { IdleServer } from './idle-server.ts';
import type { OpenMessages, RunParts } from './server-run.ts';

/** Opens a server that stops while it is idle. Nothing runs before `begin` or the first connection. */
export function openIdleServer(
  work: Supervision,
  open: RunParts['open'],
  openMessages: OpenMessages = openWorkloadMessages,
): IdleServer {
  const { transports } = work.context.kinds;
  const carries = transports.get(work.config.transport) === 'http' ? 'http' : 'messages';
  return new IdleServer(work, carries, { open, openMessages });
}

/** Opens the sessions of the proxy with a server that speaks HTTP. */
const openWorkloadMessages: OpenMessages = async (backend, work, suspect) => {
  const { openHttpBackend } = await import('@portolan/proxy/http-backend');
  const { middleware } = await required(work.policies, 'policies');
  const { context } = work;
  const opened = await openHttpBackend(backend, {
    version: context.version,
    middleware,
    settled: (outcome) => {
      if (outcome !== 'responded') suspect();
    },
    tell: (line) => context.logger.debug({ line }, 'HTTP server'),
  });
  return {
    backend: opened.backend,
    close: async () => {
      await opened.close();
      backend.agent?.destroy();
    },
  };
};
