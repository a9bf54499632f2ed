import type { EntryStatus, EntryType, OfficialFacts } from '@portolan/plugin-api';

/** Official facts from another registry, in stored form. */
export interface CarriedFacts {
  readonly status: EntryStatus | undefined;
  readonly statusMessage: string | undefined;
  /** ISO 8601 in UTC with milliseconds. */
  readonly statusChangedAt: string | undefined;
  readonly publishedAt: string | undefined;
  readonly updatedAt: string | undefined;
  readonly isLatest: boolean | undefined;
}

export interface CarriedOfficial {
  readonly facts: CarriedFacts;
  /** Sentences about facts that cannot be stored. This registry uses its own values in their place. */
  readonly oddities: readonly string[];
}

/** Maximum length of a status message, in characters (MCP registry API). */
const MAX_MESSAGE_LENGTH = 500;

const SERVER_STATUSES: readonly EntryStatus[] = ['active', 'deprecated', 'deleted'];
const OTHER_STATUSES: readonly EntryStatus[] = ['active', 'deprecated', 'archived', 'deleted'];

/** Returns the valid part of facts that a plugin reports. Never throws for any value. */
export function readOfficial(type: EntryType, official: OfficialFacts): CarriedOfficial {
  const oddities: string[] = [];
  const take = <T>(key: keyof OfficialFacts, read: (value: unknown) => T | undefined): T | undefined => {
    const value: unknown = official[key];
    if (value === undefined || value === null) return undefined;
    const taken = read(value);
    if (taken === undefined) oddities.push(`Its official \`${key}\` cannot be read, and was left aside.`);
    return taken;
  };
  const statuses = type === 'server' ? SERVER_STATUSES : OTHER_STATUSES;
  const facts: CarriedFacts = {
    status: take('status', (value) => statuses.find((one) => one === String(value).toLowerCase())),
    statusMessage: take('statusMessage', messageOf),
    statusChangedAt: take('statusChangedAt', storedTime),
    publishedAt: take('publishedAt', storedTime),
    updatedAt: take('updatedAt', storedTime),
    isLatest: take('isLatest', (value) => (typeof value === 'boolean' ? value : undefined)),
  };
  return { facts, oddities };
}

/** Removes what a text column cannot store. */
function messageOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const text = value.toWellFormed().replaceAll('\0', '\uFFFD');
  return text.length > MAX_MESSAGE_LENGTH ? Array.from(text).slice(0, MAX_MESSAGE_LENGTH).join('') : text;
}

const TIME = /^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})$/;

/** Returns RFC 3339 in UTC, for years 0 to 9999, so that text order equals time order; else undefined. */
function storedTime(value: unknown): string | undefined {
  if (typeof value !== 'string' || !TIME.test(value)) return undefined;
  const time = new Date(value.toUpperCase().replace(' ', 'T'));
  const stored = Number.isNaN(time.getTime()) ? undefined : time.toISOString();
  return stored?.length === '2026-01-01T00:00:00.000Z'.length ? stored : undefined;
}
