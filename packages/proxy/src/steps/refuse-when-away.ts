import { serverAway } from '../errors/server-errors.ts';
import type { ProxyOptions } from '../request/proxy-options.ts';
import type { NamedStep } from '../request/message-path.ts';

/** Only for a bridged server: an HTTP server may work without its engine. */
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
