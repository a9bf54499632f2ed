import { Flags } from '@oclif/core';

/** `--config FILE`, else the variable PORTOLAN_CONFIG; undefined without either. */
export const configFlag = Flags.string({
  description: 'configuration file; by default, the first one from the working directory upwards',
  helpValue: 'FILE',
  env: 'PORTOLAN_CONFIG',
});
