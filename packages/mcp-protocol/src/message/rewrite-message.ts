import { findValue } from './json-text.ts';

export interface Replacement {
  /** Member names from the top, such as `['params', '_meta', 'progressToken']`. */
  readonly path: readonly string[];
  readonly by: string;
}

/**
 * Replaces values and keeps all other characters, because a new serialization would change numbers and order.
 * Ignores missing paths.
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

/** Replaces line breaks between tokens with spaces; JSON strings contain none. */
export function onOneLine(text: string): string {
  return /[\r\n]/.test(text) ? text.replaceAll(/[\r\n]/g, ' ') : text;
}
