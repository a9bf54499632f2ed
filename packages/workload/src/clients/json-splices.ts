import type { Node } from 'jsonc-parser';
import { lineEndOf, lineStartAt, type Splice } from './file-edit.ts';

export const UNIT = '  ';

export function insertion(text: string, parent: Node, key: string, value: unknown): readonly Splice[] {
  const eol = lineEndOf(text);
  const unit = unitOf(text);
  const [open, close] = [parent.offset, parent.offset + parent.length - 1];
  const last = parent.children?.at(-1);
  const outer = indentAt(text, open);
  if (last !== undefined && !text.slice(open, close).includes('\n')) {
    const end = last.offset + last.length;
    const comma = commaAfter(text, end);
    const member = `${JSON.stringify(key)}: ${JSON.stringify(value)}`;
    if (comma === undefined) return [{ at: end, end, insert: `, ${member}` }];
    return [{ at: comma + 1, end: comma + 1, insert: ` ${member},` }];
  }
  const indent =
    last === undefined || !startsLine(text, last.offset) ? outer + unit : indentAt(text, last.offset);
  const body = JSON.stringify(value, undefined, unit).replaceAll('\n', `${eol}${indent}`);
  const member = `${eol}${indent}${JSON.stringify(key)}: ${body}`;
  if (last === undefined) {
    const inner = text.slice(open + 1, close);
    if (inner.trim() === '') return [{ at: open + 1, end: close, insert: `${member}${eol}${outer}` }];
    const at = open + 1 + inner.trimEnd().length;
    return [{ at, end: at, insert: member }];
  }
  const end = last.offset + last.length;
  const comma = commaAfter(text, end);
  const at = endOfLineTrivia(text, comma === undefined ? end : comma + 1);
  if (comma !== undefined) return [{ at, end: at, insert: `${member},` }];
  return [
    { at: end, end, insert: ',' },
    { at, end: at, insert: member },
  ];
}

/** Returns alternative edits that remove a member, the cleanest layout first. */
export function removals(text: string, parent: Node, index: number): readonly (readonly Splice[])[] {
  const { children = [] } = parent;
  const member = children[index];
  if (member === undefined) return [];
  const [open, close] = [parent.offset, parent.offset + parent.length - 1];
  const [start, end] = [member.offset, member.offset + member.length];
  const previous = children[index - 1];
  const lead = start - (/(?:\r?\n)?[^\S\r\n]*$/.exec(text.slice(open + 1, start))?.[0].length ?? 0);
  const cut = (at: number, to: number): Splice => ({ at, end: to, insert: '' });
  const comma = commaAfter(text, end);
  if (comma !== undefined) {
    const after = comma + 1 + (/^[^\S\r\n]*/.exec(text.slice(comma + 1))?.[0].length ?? 0);
    const endsLine = /^(?:\r?\n|$)/.test(text.slice(after));
    // If the first member of an object shares its line with others, the white space after it is removed. For
    // any other member, the white space before it is removed.
    const isFirstInLine = previous === undefined && !text.slice(lead, start).includes('\n');
    const tidy = isFirstInLine ? cut(start, after) : cut(lead, endsLine ? after : comma + 1);
    return [[tidy], [cut(start, comma + 1)]];
  }
  if (previous === undefined) {
    const rest = text.slice(open + 1, start) + text.slice(end, close);
    return rest.trim() === '' ? [[cut(open + 1, close)]] : [[cut(lead, end)], [cut(start, end)]];
  }
  const before = commaAfter(text, previous.offset + previous.length);
  if (before === undefined) return [];
  return [
    [cut(before, before + 1), cut(lead, end)],
    [cut(before, before + 1), cut(start, end)],
  ];
}

/** Returns the offset of the comma after a member, past white space and comments. */
function commaAfter(text: string, end: number): number | undefined {
  const trivia = /(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y;
  trivia.lastIndex = end;
  const at = end + (trivia.exec(text)?.[0].length ?? 0);
  return text[at] === ',' ? at : undefined;
}

/**
 * Returns the offset after white space and comments at the end of a line. Returns `at` if other text follows
 * on the line.
 */
function endOfLineTrivia(text: string, at: number): number {
  // A lazy quantifier would continue past the end of the first comment in order to reach the end of the line.
  const trivia = /(?:[^\S\r\n]|\/\*(?:(?!\*\/)[^\r\n])*\*\/)*(?:\/\/[^\r\n]*)?(?=\r?\n)/y;
  trivia.lastIndex = at;
  return at + (trivia.exec(text)?.[0].length ?? 0);
}

function indentAt(text: string, at: number): string {
  return /^[^\S\r\n]*/.exec(text.slice(lineStartAt(text, at)))?.[0] ?? '';
}

function startsLine(text: string, at: number): boolean {
  return text.slice(lineStartAt(text, at), at).trim() === '';
}

function unitOf(text: string): string {
  return /^(?<unit>\t| +)["}\]]/m.exec(text)?.groups?.['unit'] ?? UNIT;
}
