import type { JsonRecord } from '@portolan/mcp-protocol';
import type { RenderedItem } from '../middleware/rendered-list.ts';
import { leastSafeHints } from './call-annotations.ts';
import { DEFAULT_FOUND_TOOLS, MAX_FOUND_TOOLS } from './search-arguments.ts';

/** Maximum number of characters of the members' names in the description of `find_tool`. */
const MAX_MEMBERS_LENGTH = 1000;

const QUERY = {
  type: 'string',
  description:
    'What the tool does, in a few words: an action, an object and, if known, the service. Example: "create an issue in a GitHub repository".',
};

/** Returns the definition of `find_tool` for a caller who may call these tools. */
export function findToolDefinition(tools: readonly RenderedItem[]): JsonRecord {
  return {
    name: 'find_tool',
    title: 'Find tools',
    description: [
      'Finds tools of this server by what they do. Most tools are not in the list of tools: search for one before you say that none exists.',
      'Returns name, description and input schema of each match, best first. Then call the tool with call_tool.',
      ...describeMembers(tools),
    ].join(' '),
    inputSchema: {
      type: 'object',
      properties: {
        query: QUERY,
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: MAX_FOUND_TOOLS,
          default: DEFAULT_FOUND_TOOLS,
          description: 'Maximum number of tools to return.',
        },
      },
      required: ['query'],
    },
    outputSchema: {
      type: 'object',
      properties: {
        tools: {
          type: 'array',
          items: {
            type: 'object',
            properties: {
              name: { type: 'string' },
              title: { type: 'string' },
              description: { type: 'string' },
              inputSchema: { type: 'object' },
              annotations: { type: 'object' },
            },
            required: ['name', 'inputSchema'],
          },
        },
      },
      required: ['tools'],
    },
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  };
}

/** Returns the definition of `call_tool`, whose annotations are those of the least safe of these tools. */
export function callToolDefinition(tools: readonly RenderedItem[]): JsonRecord {
  return {
    name: 'call_tool',
    title: 'Call a tool',
    description:
      'Calls a tool of this server by its name and returns the result of that tool. Use a name that find_tool returned, and arguments that match its input schema.',
    inputSchema: {
      type: 'object',
      properties: {
        name: { type: 'string', description: 'Name of the tool, as find_tool returned it.' },
        arguments: { type: 'object', description: 'Arguments of the tool, by its input schema.' },
      },
      required: ['name'],
    },
    annotations: { ...leastSafeHints(tools.map(({ value }) => value)) },
  };
}

function describeMembers(tools: readonly RenderedItem[]): readonly string[] {
  const members = [...new Set(tools.map(({ member }) => member))];
  if (members.length === 0) return [];
  const text = members.join(', ');
  if (text.length <= MAX_MEMBERS_LENGTH) return [`The tools come from: ${text}.`];
  const cut = text.slice(0, text.lastIndexOf(', ', MAX_MEMBERS_LENGTH));
  return [`The tools come from: ${cut} and others.`];
}
