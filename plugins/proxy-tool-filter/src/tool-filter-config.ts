import type { ConfigBlock, ConfigOf } from '@portolan/plugin-api';

export const toolFilterConfig = {
  type: 'object',
  description: 'Selects and renames the tools that clients see.',
  properties: {
    tools: {
      type: 'array',
      items: { type: 'string', minLength: 1 },
      default: [],
      description: 'Names of the tools that clients may use, as clients see them; empty: all.',
    },
    override: {
      type: 'object',
      default: {},
      description: "Names and descriptions for clients, by the server's name of a tool.",
      additionalProperties: {
        type: 'object',
        description: 'New name, new description, or both.',
        properties: {
          name: { type: 'string', minLength: 1, description: 'The name; the old one is gone.' },
          description: { type: 'string', minLength: 1, description: 'The description.' },
        },
      },
    },
  },
} as const satisfies ConfigBlock;

export type ToolFilterConfig = ConfigOf<typeof toolFilterConfig>;
