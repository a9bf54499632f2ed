import { hash } from 'node:crypto';
import { isMap } from './parse-page.ts';

/** Where an earlier read has ended, so that the next one reads on from there. */
export interface ReadPosition {
  /** Of the API. */
  readonly version: string;
  /** What has changed since this time is asked for, by the clock of the registry. */
  readonly since: string;
  /** By path, what stood for the whole of a list. */
  readonly tags: Readonly<Record<string, string>>;
  /** By path, what stood for the rows that are shown. */
  readonly views: Readonly<Record<string, string>>;
}

/**
 * So much of what was read already is read again: a registry gives a row its time
 * when it begins to write it, and shows it when all of that is written.
 */
const OVERLAP_MS = 15 * 60_000;

/** The time from which the next read asks for changes, by the clock of the registry now. */
export function sinceOf(date: Date): string {
  return new Date(date.getTime() - OVERLAP_MS).toISOString();
}

/** A position as text that is of use for this endpoint and these types alone. */
export function writePosition(position: ReadPosition, scope: string): string {
  return JSON.stringify({ ...position, of: markOf(scope) });
}

/** undefined where the text was written for something else, or by another version of this source. */
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
