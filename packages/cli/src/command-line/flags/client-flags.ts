import { Args } from '@oclif/core';

/** `CLIENT...`: MCP clients that use workloads. */
export const clientArguments = {
  clients: Args.string({
    description: 'name of a client in `portolan client list`; repeatable',
    required: true,
    multiple: true,
    ignoreStdin: true,
  }),
};
