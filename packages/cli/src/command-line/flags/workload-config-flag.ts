import { Flags } from '@oclif/core';

/** `--config FILE` of workload commands, which never search the working directory for a configuration. */
export const workloadConfigFlag = Flags.string({
  description:
    "configuration file with the plugins; by default, portolan.config.* in the user's config directory",
  helpValue: 'FILE',
  env: 'PORTOLAN_CONFIG',
  helpGroup: 'GLOBAL',
});
