import { formatFlag } from './format-flag.ts';
import { boolean, string } from './flag-types.ts';
import { lookupFlags } from './lookup-flags.ts';
import { settingFlags } from './setting-flags.ts';
import {
  detachEarlyFlag,
  foregroundFlag,
  gatewayImageFlag,
  replaceFlag,
  startTimeoutFlag,
  trustFlag,
  yesFlag,
} from './start-flags.ts';
import { workloadConfigFlag } from './workload-config-flag.ts';

export const runFlags = {
  ...settingFlags,
  'from-config': string({
    helpGroup: 'WORKLOAD',
    description: 'run an exported file (`-` is standard input); excludes other settings',
    helpValue: 'FILE',
  }),
  foreground: foregroundFlag,
  replace: replaceFlag,
  yes: yesFlag,
  'detach-early': detachEarlyFlag,
  'start-timeout': startTimeoutFlag,
  'gateway-image': gatewayImageFlag,
  trust: trustFlag,
  'dry-run': boolean({
    helpGroup: 'START',
    description: 'show what would run, and the origin of each setting; run nothing',
    fallback: 'false',
  }),
  ...lookupFlags,
  config: workloadConfigFlag,
  format: formatFlag,
};
