import type { ClientEntry } from './client-entry.ts';

/** What becomes of the text of a client's file; a fault leaves it as it is. */
export type FileEdit = { readonly text: string } | { readonly fault: string };

/** What a form of document has to be able to do. Each function changes nothing outside of the entry. */
export interface ClientDocument {
  /** Names of all entries. */
  names(): readonly string[];
  /** The entry of a name; undefined when there is none. */
  find(name: string): unknown;
  set(entry: ClientEntry): FileEdit;
  remove(name: string): FileEdit;
}

export type OpenedDocument = ClientDocument | { readonly fault: string };

/** A stretch of a text, and what stands there instead. */
export interface Splice {
  readonly at: number;
  readonly end: number;
  readonly insert: string;
}

/** Stretches do not overlap; those at one place keep their order. */
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

/** The first attempt that gives the wanted result. */
export function firstFaithful(
  attempts: Iterable<() => string | undefined>,
  isFaithful: (text: string) => boolean,
): FileEdit {
  for (const attempt of attempts) {
    const text = attempt();
    if (text !== undefined && isFaithful(text)) return { text };
  }
  return { fault: 'it is laid out in a way that cannot be changed safely' };
}
