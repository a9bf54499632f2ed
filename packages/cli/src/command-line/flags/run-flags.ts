import { containerFlags } from './container-flags.ts';
import { formatFlag } from './format-flag.ts';
import { boolean } from './flag-types.ts';
import { remoteFlags } from './remote-flags.ts';
import {
  detachEarlyFlag,
  foregroundFlag,
  gatewayImageFlag,
  replaceFlag,
  startTimeoutFlag,
} from './start-flags.ts';
import { transportFlags } from './transport-flags.ts';
import { workloadConfigFlag } from './workload-config-flag.ts';

/** Everything that says what is run, and how. */
export const settingFlags = { ...containerFlags, ...transportFlags, ...remoteFlags };

/** All flags of `run`. */
export const runFlags = {
  ...settingFlags,
  foreground: foregroundFlag,
  replace: replaceFlag,
  'detach-early': detachEarlyFlag,
  'start-timeout': startTimeoutFlag,
  'gateway-image': gatewayImageFlag,
  'dry-run': boolean({
    helpGroup: 'START',
    description: 'show what would be run, and where each setting is from; run nothing',
    fallback: 'false',
  }),
  config: workloadConfigFlag,
  format: formatFlag,
};
