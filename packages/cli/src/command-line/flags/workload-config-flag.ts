import { Flags } from '@oclif/core';

/** `--config FILE` of workload commands, which never look into the working directory for one. */
export const workloadConfigFlag = Flags.string({
  description:
    "configuration file that names plugins; left out, portolan.config.* in the user's config directory",
  helpValue: 'FILE',
  env: 'PORTOLAN_CONFIG',
  helpGroup: 'GLOBAL',
});
