import { parse } from '@babel/parser';
import { type Node, traverseFast } from '@babel/types';

export interface Docstring {
  /** Its words, without stars and line breaks. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** A node that came out of a text, so that its place is known. */
export type PlacedNode<N extends Node = Node> = N & { readonly start: number; readonly end: number };

export interface ParsedModule {
  /** Every node, outer ones before the ones inside them. */
  readonly nodes: readonly PlacedNode[];
  readonly docstrings: readonly Docstring[];
}

/**
 * The syntax of a module of TypeScript. The compiler itself offers no interface
 * for this any more. Throws with file and place when the text does not parse.
 */
export function parseTypeScript(file: string, text: string): ParsedModule {
  const parsed = parse(text, {
    sourceType: 'module',
    sourceFilename: file,
    plugins: ['typescript'],
    attachComment: false,
  });
  const nodes: PlacedNode[] = [];
  // Only nodes that a program makes up have no place.
  traverseFast(parsed.program, (node) => void nodes.push(node as PlacedNode));
  const docstrings = (parsed.comments ?? [])
    .filter(({ type, value }) => type === 'CommentBlock' && value.startsWith('*'))
    .map(({ value, start = 0, end = 0 }) => ({ text: plainText(value), start, end }));
  return { nodes, docstrings };
}

/** The docstring right above a place; undefined when there is none. */
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
