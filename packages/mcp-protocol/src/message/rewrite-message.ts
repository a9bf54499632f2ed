import { findValue } from './json-text.ts';

export interface Replacement {
  /** Names of members, from the top: `['params', '_meta', 'progressToken']`. */
  readonly path: readonly string[];
  /** JSON that takes the place of the value there. */
  readonly by: string;
}

/**
 * The message with some values replaced and every other character as it was:
 * printing parsed JSON would change numbers and order. A path that is not there
 * stays away.
 */
export function rewriteMessage(text: string, replacements: readonly Replacement[]): string {
  const [only, other] = replacements;
  if (only !== undefined && other === undefined) {
    const span = findValue(text, only.path);
    return span === undefined ? text : text.slice(0, span.start) + only.by + text.slice(span.end);
  }
  const edits = replacements.flatMap(({ path, by }) => {
    const span = findValue(text, path);
    return span === undefined ? [] : [{ ...span, by }];
  });
  let rewritten = text;
  for (const { start, end, by } of edits.toSorted((left, right) => right.start - left.start)) {
    rewritten = rewritten.slice(0, start) + by + rewritten.slice(end);
  }
  return rewritten;
}

/** The message on one line: breaks between its tokens become spaces, and inside strings there are none. */
export function onOneLine(text: string): string {
  return /[\r\n]/.test(text) ? text.replaceAll(/[\r\n]/g, ' ') : text;
}
