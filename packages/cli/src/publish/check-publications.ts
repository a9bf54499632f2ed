import { describeEntry, textOf } from '@portolan/entry-format';
import { type EntryType, isJsonObject } from '@portolan/plugin-api';
import type { EntryDemands } from '@portolan/run-spec';
import { describeEntryDemands } from '@portolan/run-spec/entries';
import { printable } from '../terminal/printable.ts';
import type { PublishableEntry, UnreadableEntry } from './read-publications.ts';

export interface LocatedProblem {
  /** Path in the file: `data.servers[3].packages[0].identifier`. */
  readonly place: string;
  readonly message: string;
}

/** An entry of the file, validated as far as possible without the server. */
export interface CheckedEntry {
  /** Type of the entry; undefined if the entry is unreadable. */
  readonly type: EntryType | undefined;
  readonly name: string | undefined;
  readonly version: string | undefined;
  readonly document: unknown;
  readonly place: string;
  /** Problems for which the server would refuse the entry. */
  readonly errors: readonly LocatedProblem[];
  readonly warnings: readonly LocatedProblem[];
  /** Grants that `portolan run` asks the users of a server for; missing when there is nothing. */
  readonly demands?: EntryDemands;
}

/**
 * Replacement for limits that only the server knows: the maximum size of metadata, and the transports of its
 * plugins.
 */
const NO_BOUNDS = { maxMetadataBytes: Number.MAX_SAFE_INTEGER, transports: 'any' } as const;

/** Validates every entry by the rules for publishing. Never throws. */
export function checkPublications(
  matches: readonly (PublishableEntry | UnreadableEntry)[],
  now: Date,
): readonly CheckedEntry[] {
  return matches.map((entry) => ('because' in entry ? unreadable(entry) : check(entry, now)));
}

/** Adds to each valid server the grants that `portolan run` asks its users for. */
export function withDemands(entries: readonly CheckedEntry[]): readonly CheckedEntry[] {
  return entries.map((entry) => {
    const { type, document, errors } = entry;
    if (type !== 'server' || errors.length > 0 || !isJsonObject(document)) return entry;
    const demands = describeEntryDemands(document);
    return demands.grants.length + demands.refusals.length === 0 ? entry : { ...entry, demands };
  });
}

function unreadable({ place, because }: UnreadableEntry): CheckedEntry {
  const [type, name, version] = [undefined, undefined, undefined];
  return {
    type,
    name,
    version,
    document: undefined,
    place,
    errors: [{ place, message: because }],
    warnings: [],
  };
}

function check({ type, document, place }: PublishableEntry, now: Date): CheckedEntry {
  const options = { publishedAt: now.toISOString(), ...NO_BOUNDS };
  const described = describeEntry({ type, document }, 'publish', options);
  const located = (severity: string): readonly LocatedProblem[] =>
    described.issues
      .filter((issue) => issue.severity === severity)
      .map(({ path, message }) => ({ place: joinPlaces(place, path), message }));
  const name = described.usable ? described.facts.name : described.name;
  const version = textOf(document, 'version');
  return { type, name, version, document, place, errors: located('error'), warnings: located('warning') };
}

function joinPlaces(place: string, path: string): string {
  if (place === '') return path === '' ? '(document)' : path;
  if (path === '') return place;
  return path.startsWith('[') ? `${place}${path}` : `${place}.${path}`;
}

/** Formats problems as lines: the place, then the message in a second column. */
export function problemLines(problems: readonly LocatedProblem[]): readonly string[] {
  const LONGEST = 60;
  const width = Math.min(LONGEST, Math.max(0, ...problems.map(({ place }) => printable(place).length)));
  return problems.map(({ place, message }) => `  ${printable(place).padEnd(width)}  ${printable(message)}`);
}
