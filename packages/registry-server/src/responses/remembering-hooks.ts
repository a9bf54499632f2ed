import type { GuardedHooks } from '@portolan/kernel';
import type { RecentEvents } from './recent-events.ts';

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
