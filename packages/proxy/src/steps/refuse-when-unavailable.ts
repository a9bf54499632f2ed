import { serverAway } from '../errors/server-errors.ts';
import type { ProxyOptions } from '../request/proxy-options.ts';
import type { NamedStep } from '../request/message-path.ts';

/**
 * Refuses requests while a bridged server is unreachable. Does not apply to an HTTP server, which may work
 * without the container engine.
 */
export function refuseWhenUnavailable({
  backend,
  missing,
}: Pick<ProxyOptions, 'backend' | 'missing'>): NamedStep {
  return {
    name: 'refuseWhenUnavailable',
    run: (_ctx, next) => {
      const reason = backend.carries === 'messages' ? missing?.() : undefined;
      if (reason !== undefined) throw serverAway(reason);
      return next();
    },
  };
}
