import { serverAway } from '../errors/server-errors.ts';
import type { ProxyOptions } from '../request/proxy-options.ts';
import type { NamedStep } from '../request/message-path.ts';

/**
 * Returns the step that refuses requests while a server without its own HTTP is unreachable. A container that
 * speaks HTTP may continue without its engine, so its requests are sent.
 */
export function refuseWhenAway({ backend, missing }: Pick<ProxyOptions, 'backend' | 'missing'>): NamedStep {
  return {
    name: 'refuseWhenAway',
    run: (_ctx, next) => {
      const reason = backend.carries === 'messages' ? missing?.() : undefined;
      if (reason !== undefined) throw serverAway(reason);
      return next();
    },
  };
}
