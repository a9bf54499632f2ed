import { settingsConflict } from './settings-errors.ts';
import type { RunFlags } from './run-flags.ts';

/**
 * Refuses settings about when the server runs for a remote server, which Portolan does not start. Throws
 * ERR_SETTINGS_CONFLICT.
 */
export function refuseIdleFlags({ start = 'eager', stopAfterIdleMs = 0 }: RunFlags): void {
  const because = 'Portolan does not run that server, so it can neither start nor stop it';
  if (stopAfterIdleMs !== 0) throw settingsConflict('--stop-after-idle', 'a remote server', because);
  if (start !== 'eager') throw settingsConflict('--start', 'a remote server', because);
}
