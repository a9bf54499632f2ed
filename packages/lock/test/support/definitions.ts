/** A tool with every kind of field that the table of changes names. */
export const TOOL = {
  name: 'search_code',
  title: 'Search code',
  description: 'Searches code.',
  icons: [{ src: 'https://acme.example/search.png', sizes: ['48x48'] }],
  inputSchema: {
    type: 'object',
    properties: {
      query: { type: 'string', description: 'What to search for.' },
      language: { type: 'string', enum: ['go', 'rust', 'zig'] },
      page: { type: ['integer', 'null'], minimum: 1 },
    },
    required: ['query', 'language'],
  },
  outputSchema: { type: 'object', properties: { hits: { type: 'integer' }, sort: { enum: ['a', 'b'] } } },
  annotations: { readOnlyHint: true, destructiveHint: false },
  execution: { taskSupport: 'optional' },
  _meta: { ui: { resourceUri: 'ui://search' }, lastUpdated: 5 },
} as const;

export const PROMPT = {
  name: 'review',
  title: 'Review',
  description: 'Reviews code.',
  icons: [{ src: 'https://acme.example/review.png' }],
  arguments: [
    { name: 'code', description: 'The code.', required: true },
    { name: 'style', description: 'The style.' },
  ],
} as const;

export const TEMPLATE = {
  uriTemplate: 'repo://{owner}/{name}',
  name: 'repository',
  description: 'A repository.',
  mimeType: 'application/json',
} as const;

export const SERVER = {
  name: 'github-mcp',
  version: '2.1.0',
  revisions: ['2025-06-18', '2025-11-25'],
  capabilities: { tools: { listChanged: true } },
  instructions: 'Search first.',
} as const;

/** Parsed JSON of a test. */
export type Json = Record<string, unknown>;

/** Returns a copy with the member at a path replaced; `undefined` removes it. */
export function replace(value: unknown, path: readonly (string | number)[], by: unknown): Json {
  const copy = structuredClone(value) as Json;
  let at = copy;
  for (const step of path.slice(0, -1)) at = at[step] as Json;
  const last = path.at(-1) ?? '';
  if (by === undefined) delete at[last];
  else at[last] = by;
  return copy;
}
