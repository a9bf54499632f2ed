import { Args } from '@oclif/core';

/** `CLIENT...`: MCP clients that use workloads. */
export const clientArguments = {
  clients: Args.string({
    description: 'client, as `portolan client list` names it; several may be named',
    required: true,
    multiple: true,
    ignoreStdin: true,
  }),
};
