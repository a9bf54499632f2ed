import type { ConfigBlock, ConfigOf } from '@portolan/plugin-api';

export const webConsoleConfig = {
  type: 'object',
  description: 'Web pages that show the content of the registry server.',
  properties: {
    title: {
      type: 'string',
      minLength: 1,
      maxLength: 60,
      default: 'Portolan',
      description: 'Name of the registry at the top of every page.',
      examples: ['Acme MCP registry'],
    },
  },
} as const satisfies ConfigBlock;

export type WebConsoleConfig = ConfigOf<typeof webConsoleConfig>;
