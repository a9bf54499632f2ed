import type { GuardedHooks } from '@portolan/kernel';
import type { RecentEvents } from './recent-events.ts';

/** The hook that is told of requests, which are remembered as well where that is asked for. */
export function rememberingHooks({
  hooks,
  recent,
}: {
  readonly hooks: Pick<GuardedHooks, 'accessDecided'>;
  readonly recent?: RecentEvents | undefined;
}): Pick<GuardedHooks, 'accessDecided'> {
  if (recent === undefined) return hooks;
  return {
    accessDecided: (record) => {
      recent.add(record);
      hooks.accessDecided(record);
    },
  };
}
