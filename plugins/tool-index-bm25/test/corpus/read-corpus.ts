import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { IndexedTool } from '@portolan/plugin-api';

/** A question of a user, and the keys of the tools that serve it. */
export interface Question {
  readonly query: string;
  readonly tools: readonly string[];
}

/** Share of questions, from 0 to 1, whose tool is among the first matches. */
export interface SearchShares {
  readonly top1: number;
  readonly top3: number;
  readonly top5: number;
}

function read(name: string): string {
  return readFileSync(path.join(import.meta.dirname, name), 'utf8');
}

/** Returns the tools of real servers, as the default prefix exposes them. */
export function readTools(): readonly IndexedTool[] {
  return read('tools.jsonl')
    .trim()
    .split('\n')
    .map((line) => {
      const { member, name, title, description, parameters } = JSON.parse(line);
      return { key: `${member}/${name}`, name: `${member}_${name}`, member, title, description, parameters };
    });
}

/**
 * Returns the questions. The parameters of the ranking were chosen with the first half; nothing was chosen with the
 * second one.
 */
export function readQuestions(): {
  readonly first: readonly Question[];
  readonly second: readonly Question[];
} {
  const all: readonly Question[] = JSON.parse(read('questions.json'));
  return {
    first: all.filter((_question, at) => at % 2 === 0),
    second: all.filter((_question, at) => at % 2 === 1),
  };
}

/** Returns how often `search` finds the right tool. */
export async function measureShares(
  questions: readonly Question[],
  search: (query: string, limit: number) => readonly string[] | Promise<readonly string[]>,
): Promise<SearchShares> {
  const ranks: number[] = [];
  for (const { query, tools } of questions) {
    const rank = (await search(query, 5)).findIndex((key) => tools.includes(key));
    ranks.push(rank === -1 ? Infinity : rank);
  }
  const shareBelow = (limit: number): number => ranks.filter((rank) => rank < limit).length / ranks.length;
  return { top1: shareBelow(1), top3: shareBelow(3), top5: shareBelow(5) };
}
