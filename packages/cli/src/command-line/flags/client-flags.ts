import { Args } from '@oclif/core';

/** `CLIENT`: a program that uses workloads. */
export const clientArgument = {
  client: Args.string({
    description: 'client, as `portolan client list` names it',
    required: true,
    ignoreStdin: true,
  }),
};
