import { Flags } from '@oclif/core';
import { configFlag } from './config-flag.ts';

export const MAX_STEPS = 1000;

const yes = Flags.boolean({ char: 'y', description: 'skip the confirmation' });

export const upFlags = {
  config: configFlag,
  'num-steps': Flags.integer({
    char: 'n',
    description: 'number of migrations to apply, 0 for all pending ones',
    min: 0,
    max: MAX_STEPS,
    default: 0,
    helpValue: 'NUMBER',
  }),
  yes,
};

export const downFlags = {
  config: configFlag,
  'num-steps': Flags.integer({
    char: 'n',
    description: `number of migrations to undo, 1 to ${MAX_STEPS}`,
    min: 1,
    max: MAX_STEPS,
    required: true,
    helpValue: 'NUMBER',
  }),
  yes,
};
