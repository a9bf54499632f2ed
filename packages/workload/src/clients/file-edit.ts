import type { ClientEntry } from './client-entry.ts';

/** New text of a client's file, or the reason why it stays unchanged. */
export type FileEdit = { readonly text: string } | { readonly fault: string };

/** Document format that client files use. Each method changes only the text of the entry. */
export interface ClientDocument {
  names(): readonly string[];
  find(name: string): unknown;
  set(entry: ClientEntry): FileEdit;
  remove(name: string): FileEdit;
}

export type OpenedDocument = ClientDocument | { readonly fault: string };

export interface Splice {
  readonly at: number;
  readonly end: number;
  readonly insert: string;
}

/** Applies replacements that do not overlap. Replacements at one offset keep their order. */
export function applySplices(text: string, splices: readonly Splice[]): string {
  const ordered = splices.toSorted((one, other) => one.at - other.at);
  let result = '';
  let done = 0;
  for (const { at, end, insert } of ordered) {
    result += text.slice(done, at) + insert;
    done = end;
  }
  return result + text.slice(done);
}

export function lineEndOf(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? '\n';
}

export function lineStartAt(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1;
}

/**
 * Runs the attempts in order and returns the first text that passes `isFaithful`. Returns a fault when no
 * text passes.
 */
export function firstFaithful(
  attempts: Iterable<() => string | undefined>,
  isFaithful: (text: string) => boolean,
): FileEdit {
  for (const attempt of attempts) {
    const text = attempt();
    if (text !== undefined && isFaithful(text)) return { text };
  }
  return { fault: 'its layout cannot be changed safely' };
}
