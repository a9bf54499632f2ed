import type { BuiltToolIndex, IndexedTool } from '@portolan/plugin-api';
import MiniSearch, { type SearchResult } from 'minisearch';
import { isGroupTerm } from './related-words.ts';
import { searchTermsOf } from './search-terms.ts';

/** Maximum number of characters of a query. */
const MAX_QUERY_LENGTH = 1000;

/** Maximum number of characters of a name, title or description. */
const MAX_TEXT_LENGTH = 4000;

/** Maximum number of parameters of a tool. */
const MAX_PARAMETERS = 200;

/** Number of tools that are indexed before other work of the process gets its turn. */
const CHUNK_SIZE = 50;

// The figures below were found with the first half of the questions in `test/corpus`.

/** How often a word of a name or title counts, compared with a word of a description. */
const NAME_WEIGHT = 4;

/** Weight of a match by a related word, compared with a match by the word itself. */
const RELATED_WEIGHT = 0.3;

const BM25 = { k: 3, b: 0.7, d: 0 };

interface IndexRow {
  readonly position: number;
  readonly text: string;
}

/** Builds an index with one field, the text of a tool. The time is linear in the length of all texts. */
export async function buildBm25Index(tools: readonly IndexedTool[]): Promise<BuiltToolIndex> {
  const keys = tools.map(({ key }) => key);
  const index = new MiniSearch<IndexRow>({
    idField: 'position',
    fields: ['text'],
    tokenize: (text) => searchTermsOf(text).flat(),
    processTerm: (term) => term,
  });
  const rows = tools.map((tool, position): IndexRow => ({ position, text: textOf(tool) }));
  await index.addAllAsync(rows, { chunkSize: CHUNK_SIZE });
  return { search: (query, limit) => findPositions(index, query, limit).flatMap((at) => keys[at] ?? []) };
}

function findPositions(index: MiniSearch<IndexRow>, query: string, limit: number): readonly number[] {
  const words = searchTermsOf(query.slice(0, MAX_QUERY_LENGTH));
  const matches = index.search(
    { combineWith: 'OR', queries: [...new Set(words.flat())] },
    {
      tokenize: (term) => [term],
      processTerm: (term) => term,
      boostTerm: (term) => (isGroupTerm(term) ? RELATED_WEIGHT : 1),
      bm25: BM25,
    },
  );
  const distinct = [...new Map(words.map((terms) => [terms[0], terms])).values()];
  return matches
    .map((match) => ({ position: Number(match.id), score: scoreOf(match, distinct) }))
    .toSorted((one, other) => other.score - one.score || one.position - other.position)
    .slice(0, limit)
    .map(({ position }) => position);
}

/**
 * Returns the BM25 score, multiplied by the square root of the number of words that match. MiniSearch multiplies it by the
 * number of terms, which prefers long descriptions with many common words.
 */
function scoreOf({ score, queryTerms }: SearchResult, words: readonly (readonly string[])[]): number {
  const matched = new Set(queryTerms);
  const count = words.filter((terms) => terms.some((term) => matched.has(term))).length;
  return (score / queryTerms.length) * Math.sqrt(count);
}

function textOf({ name, title = '', member, description = '', parameters }: IndexedTool): string {
  const names = `${cut(name)} ${cut(title)}\n`;
  const others = parameters.slice(0, MAX_PARAMETERS).map(cut).join(' ');
  return `${names.repeat(NAME_WEIGHT)}${cut(member)}\n${cut(description)}\n${others}`;
}

function cut(text: string): string {
  return text.slice(0, MAX_TEXT_LENGTH);
}
