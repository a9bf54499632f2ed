import { Flags } from '@oclif/core';

/** `--config FILE` of workload commands, which never search the working directory for a configuration. */
export const workloadConfigFlag = Flags.string({
  description:
    "configuration file that names plugins; left out, portolan.config.* in the user's config directory",
  helpValue: 'FILE',
  env: 'PORTOLAN_CONFIG',
  helpGroup: 'GLOBAL',
});
