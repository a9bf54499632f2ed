import { parse } from '@babel/parser';
import { type Node, traverseFast } from '@babel/types';

export interface Docstring {
  /** Words of the comment, without stars and line breaks. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Node of parsed text, which therefore has a position. */
export type PlacedNode<N extends Node = Node> = N & { readonly start: number; readonly end: number };

export interface ParsedModule {
  /** All nodes, outer ones before inner ones. */
  readonly nodes: readonly PlacedNode[];
  readonly docstrings: readonly Docstring[];
}

/**
 * Parses a TypeScript module. Throws with file and position when the text is invalid. It uses Babel's parser,
 * because the TypeScript 7 compiler has no API for this.
 */
export function parseTypeScript(file: string, text: string): ParsedModule {
  const parsed = parse(text, {
    sourceType: 'module',
    sourceFilename: file,
    plugins: ['typescript'],
    attachComment: false,
  });
  const nodes: PlacedNode[] = [];
  // Only generated nodes have no position.
  traverseFast(parsed.program, (node) => void nodes.push(node as PlacedNode));
  const docstrings = (parsed.comments ?? [])
    .filter(({ type, value }) => type === 'CommentBlock' && value.startsWith('*'))
    .map(({ value, start = 0, end = 0 }) => ({ text: plainText(value), start, end }));
  return { nodes, docstrings };
}

/** Returns the docstring directly above a position; undefined when there is none. */
export function docstringAbove(
  { docstrings }: ParsedModule,
  text: string,
  start: number,
): string | undefined {
  return docstrings.findLast(({ end }) => end <= start && text.slice(end, start).trim() === '')?.text;
}

function plainText(comment: string): string {
  return comment
    .split('\n')
    .map((line) => line.replace(/^\s*\*\s?/, '').trim())
    .join(' ')
    .replace(/\s+/g, ' ')
    .trim();
}
