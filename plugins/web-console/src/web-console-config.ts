import type { ConfigBlock, ConfigOf } from '@portolan/plugin-api';

export const webConsoleConfig = {
  type: 'object',
  description: 'What the registry server has, to look at in a browser.',
  properties: {
    title: {
      type: 'string',
      minLength: 1,
      maxLength: 60,
      default: 'Portolan',
      description: 'What the registry is called at the top of every page.',
      examples: ['Acme MCP registry'],
    },
  },
} as const satisfies ConfigBlock;

export type WebConsoleConfig = ConfigOf<typeof webConsoleConfig>;
