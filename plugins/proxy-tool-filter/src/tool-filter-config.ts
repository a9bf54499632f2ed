import type { ConfigBlock, ConfigOf } from '@portolan/plugin-api';

export const toolFilterConfig = {
  type: 'object',
  description: 'Which tools clients see, and under which names.',
  properties: {
    tools: {
      type: 'array',
      items: { type: 'string', minLength: 1 },
      default: [],
      description: 'Names that clients may use, as they see them; empty: all.',
    },
    override: {
      type: 'object',
      default: {},
      description: 'By the name that the server has for a tool: what clients see instead.',
      additionalProperties: {
        type: 'object',
        description: 'One of the two, or both.',
        properties: {
          name: { type: 'string', minLength: 1, description: 'The name; the old one is gone.' },
          description: { type: 'string', minLength: 1, description: 'The description.' },
        },
      },
    },
  },
} as const satisfies ConfigBlock;

export type ToolFilterConfig = ConfigOf<typeof toolFilterConfig>;
