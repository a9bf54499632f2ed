import { Flags } from '@oclif/core';

/** `--config FILE`, else the variable PORTOLAN_CONFIG; undefined when neither is given. */
export const configFlag = Flags.string({
  description: 'configuration file; left out, it is searched from the working directory upwards',
  helpValue: 'FILE',
  env: 'PORTOLAN_CONFIG',
});
