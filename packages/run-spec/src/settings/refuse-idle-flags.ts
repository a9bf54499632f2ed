import { settingsConflict } from './settings-errors.ts';
import type { RunFlags } from './run-flags.ts';

/**
 * Refuses settings about when the server runs for a remote server, which Portolan does not start. Throws
 * ERR_SETTINGS_CONFLICT.
 */
export function refuseIdleFlags({ stopAfterIdleMs = 0 }: RunFlags): void {
  if (stopAfterIdleMs === 0) return;
  throw settingsConflict(
    '--stop-after-idle',
    'a remote server',
    'Portolan does not run that server, so there is nothing to stop',
  );
}
