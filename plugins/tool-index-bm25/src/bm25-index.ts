import type { BuiltToolIndex, IndexedTool } from '@portolan/plugin-api';
import MiniSearch from 'minisearch';
import { splitWords } from './split-words.ts';

const MAX_QUERY_LENGTH = 1000;
const MAX_TEXT_LENGTH = 4000;

/** Number of tools that are indexed before other work of the process gets its turn. */
const CHUNK_SIZE = 100;

const BOOST = { name: 2, title: 1, description: 1, parameters: 0.5, member: 1.5 };
const FIELDS = ['name', 'title', 'description', 'parameters', 'member'];

export async function buildBm25Index(tools: readonly IndexedTool[]): Promise<BuiltToolIndex> {
  const index = new MiniSearch<IndexedTool>({
    idField: 'key',
    fields: FIELDS,
    extractField: (tool, field) => textOf(tool, field),
    tokenize: (text) => [...splitWords(text)],
    processTerm: (word) => word,
    searchOptions: { boost: BOOST },
  });
  await index.addAllAsync(tools, { chunkSize: CHUNK_SIZE });
  return {
    search: (query, limit) =>
      index
        .search(query.slice(0, MAX_QUERY_LENGTH))
        .slice(0, limit)
        .map(({ id }) => String(id)),
  };
}

function textOf(tool: IndexedTool, field: string): string {
  if (field === 'key') return tool.key;
  if (field === 'parameters') return tool.parameters.slice(0, 200).join(' ');
  return String(Object(tool)[field] ?? '').slice(0, MAX_TEXT_LENGTH);
}
