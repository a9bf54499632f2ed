import { Args, Flags } from '@oclif/core';
import { MCP_TRANSPORTS } from '../../mcp/find-server.ts';
import { boolean, duration, string, stringArray } from './flag-types.ts';
import { formatFlag } from './format-flag.ts';
import { workloadConfigFlag } from './workload-config-flag.ts';

/** `SERVER`: the MCP server to connect to. */
export const mcpServer = {
  server: Args.string({
    description: 'name of a workload, or URL of an MCP server',
    required: true,
    ignoreStdin: true,
  }),
};

/** `[KEY=VALUE]...`: arguments of a tool or prompt. */
export const mcpWords = {
  words: Args.string({
    name: 'KEY=VALUE',
    description: 'argument of the call; repeatable. Strings are unquoted, other values are JSON',
    multiple: true,
    ignoreStdin: true,
  }),
};

export const mcpFlags = {
  transport: Flags.option({
    description: 'transport; auto: that of the workload, or sse for a URL whose path ends in /sse',
    options: MCP_TRANSPORTS,
    default: 'auto' as const,
  })(),
  'token-file': string({
    description: 'file with an access token for the server; `-` is standard input',
    helpValue: 'FILE',
  }),
  header: stringArray({ description: 'header to send to the server; repeatable', helpValue: 'NAME=VALUE' }),
  timeout: duration({
    description: 'maximum time without a response or a progress message; excludes the time for your answers',
    fallback: '60s',
  }),
  'ca-cert': string({ description: 'additional CA certificates, as PEM', helpValue: 'FILE' }),
  'allow-insecure': boolean({
    description: 'allow sending tokens and headers over http to another machine',
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
  description: 'file for an image or other data of the result; several files get numbers',
  helpValue: 'FILE',
});
