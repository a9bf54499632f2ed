import { hash } from 'node:crypto';
import { isMap } from './parse-page.ts';

/** Position from which the next read continues. */
export interface ReadPosition {
  readonly version: string;
  /** The next read requests changes since this time, by the registry's clock. */
  readonly since: string;
  /** Tag of each whole list, by path. */
  readonly tags: Readonly<Record<string, string>>;
  /** Tag of each view, which decides the visible rows, by path. */
  readonly views: Readonly<Record<string, string>>;
}

/**
 * Overlap with the previous read: a registry sets a row's time when it begins to write it, and shows it when
 * the write is complete.
 */
const OVERLAP_MS = 15 * 60_000;

/**
 * Returns the time from which the next read requests changes, from the current time of the registry's clock.
 */
export function sinceOf(date: Date): string {
  return new Date(date.getTime() - OVERLAP_MS).toISOString();
}

/** Serializes a position. It is valid only for this endpoint and these types. */
export function writePosition(position: ReadPosition, scope: string): string {
  return JSON.stringify({ ...position, of: markOf(scope) });
}

/** Parses a position. Undefined for another scope or version of this source. */
export function readPosition(text: string, scope: string): ReadPosition | undefined {
  const value = parse(text);
  if (!isMap(value) || value['of'] !== markOf(scope)) return undefined;
  const { version, since, tags, views } = value;
  if (typeof version !== 'string' || typeof since !== 'string' || !isMap(tags) || !isMap(views))
    return undefined;
  return { version, since, tags: textsIn(tags), views: textsIn(views) };
}

function textsIn(map: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const texts = Object.entries(map).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return Object.fromEntries(texts);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function markOf(scope: string): string {
  return hash('sha256', scope, 'base64url');
}
