import { Args, Flags } from '@oclif/core';
import { MCP_TRANSPORTS } from '../../mcp/find-server.ts';
import { boolean, duration, string, stringArray } from './flag-types.ts';
import { formatFlag } from './format-flag.ts';
import { workloadConfigFlag } from './workload-config-flag.ts';

/** `SERVER`: the MCP server to connect to. */
export const mcpServer = {
  server: Args.string({
    description: 'name of a workload, or URL of a server',
    required: true,
    ignoreStdin: true,
  }),
};

/** `[KEY=VALUE]...`: arguments of a tool or prompt. */
export const mcpWords = {
  words: Args.string({
    name: 'KEY=VALUE',
    description: 'argument; several may be given. Texts stand as they are, other values as JSON',
    multiple: true,
    ignoreStdin: true,
  }),
};

/** Flags of all commands that connect to an MCP server. */
export const mcpFlags = {
  transport: Flags.option({
    description: 'how it is spoken to; auto: as the workload says, or sse for a URL whose path ends in /sse',
    options: MCP_TRANSPORTS,
    default: 'auto' as const,
  })(),
  'token-file': string({
    description: 'file with an access token for it; `-` is standard input',
    helpValue: 'FILE',
  }),
  header: stringArray({ description: 'header to send it; repeatable', helpValue: 'NAME=VALUE' }),
  timeout: duration({
    description:
      'most time without an answer or a word of progress; that of a person who is asked does not count',
    fallback: '60s',
  }),
  'ca-cert': string({ description: 'certificates of more authorities to trust, as PEM', helpValue: 'FILE' }),
  'allow-insecure': boolean({
    description: 'send tokens and headers over http to a host that is not this machine',
    fallback: 'false',
  }),
  format: formatFlag,
  config: workloadConfigFlag,
};

export const argsFlag = string({
  description: 'arguments as a JSON object; `-` is standard input',
  helpValue: 'JSON',
});

export const outputFlag = string({
  description: 'file for an image or other data in the answer; of several, each gets a number',
  helpValue: 'FILE',
});
