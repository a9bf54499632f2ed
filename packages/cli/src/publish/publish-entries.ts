import type { EntryType, ResourceClaims } from '@portolan/plugin-api';
import {
  publishEntry,
  type Refusal,
  requireDryRuns,
  type ServerClient,
  type ServerIssue,
  tryEntry,
} from '@portolan/registry-client';
import type { EntryDemands } from '@portolan/run-spec';
import type { CheckedEntry } from './check-publications.ts';
import { refusalError } from './refusal-error.ts';

export interface PublishResult {
  readonly place: string;
  readonly type: EntryType | null;
  readonly name: string | null;
  readonly version: string | null;
  /**
   * `exists`: the server already has this version. `invalid`: not sent, because it violates rules. `valid`
   * and `refused` in a dry run: what the server would do.
   */
  readonly outcome: 'published' | 'exists' | 'refused' | 'invalid' | 'valid';
  /** The server's message, or the problem. */
  readonly error?: string;
  readonly code?: string;
  readonly hint?: string;
  readonly issues?: readonly ServerIssue[];
  /** Grants that `portolan run` asks the users of the entry for; missing when there is nothing. */
  readonly demands?: EntryDemands;
}

export interface PublishOptions {
  readonly client: ServerClient;
  readonly claims: ResourceClaims | undefined;
  /** Name of the managed source; undefined lets the server choose. */
  readonly source: string | undefined;
  /** Whether the server only validates, and stores nothing. */
  readonly dryRun: boolean;
}

export interface PublishedEntry {
  readonly result: PublishResult;
  readonly refusal?: Refusal;
}

/**
 * Statuses for which all other entries would fail too, because the request, the caller or the server causes
 * the refusal.
 */
const ENDS_ALL_STATUS = [401, 404, 405];
const ENDS_ALL_CODE = [
  'ERR_CLAIMS_BEYOND_CALLER',
  'ERR_CLAIMS_REQUIRED',
  'ERR_NO_MANAGED_SOURCE',
  'ERR_ROLE_MISSING',
  'ERR_SOURCE_AMBIGUOUS',
  'ERR_SOURCE_FORBIDDEN',
  'ERR_SOURCE_NOT_MANAGED',
];

/**
 * Sends entries one after the other and yields a result for each, also after a refused one. Throws the errors
 * of the request when all other entries would fail too: no connection, no such endpoint, no support for dry
 * runs, a refused token, a server error.
 */
export async function* publishEntries(
  entries: readonly CheckedEntry[],
  options: PublishOptions,
): AsyncGenerator<PublishedEntry> {
  if (options.dryRun && entries.some(({ errors }) => errors.length === 0))
    await requireDryRuns(options.client);
  const tried = new Set<string>();
  for (const entry of entries) {
    if (entry.type === undefined || entry.errors.length > 0) {
      yield { result: invalidEntry(entry) };
      continue;
    }
    const key = JSON.stringify([entry.type, entry.name, entry.version]);
    if (options.dryRun && tried.has(key)) {
      yield { result: { ...headOf(entry), outcome: 'exists', ...TWICE } };
      continue;
    }
    const published = await sendEntry(entry, entry.type, options);
    if (published.result.outcome === 'valid') tried.add(key);
    yield published;
    const { refusal } = published;
    if (refusal !== undefined && endsAll(refusal)) throw refusalError(refusal, options.client);
  }
}

/**
 * Result for a version that is in the file twice. In a dry run the server stores nothing, so it cannot detect
 * this.
 */
const TWICE = { error: 'The file has this version twice.', code: 'ERR_VERSION_EXISTS' } as const;

function endsAll({ status, code = '' }: Refusal): boolean {
  return status >= 500 || ENDS_ALL_STATUS.includes(status) || ENDS_ALL_CODE.includes(code);
}

function headOf({ place, type, name, version, demands }: CheckedEntry) {
  return {
    place,
    type: type ?? null,
    name: name ?? null,
    version: version ?? null,
    ...(demands === undefined ? {} : { demands }),
  };
}

export function invalidEntry(entry: CheckedEntry): PublishResult {
  const issues = entry.errors.map(({ place, message }) => ({ path: place, message, severity: 'error' }));
  return { ...headOf(entry), outcome: 'invalid', error: 'It violates rules, and was not sent.', issues };
}

async function sendEntry(
  entry: CheckedEntry,
  type: EntryType,
  { client, claims, source, dryRun }: PublishOptions,
): Promise<PublishedEntry> {
  const send = dryRun ? tryEntry : publishEntry;
  const outcome = await send(client, { type, document: entry.document, claims, source });
  if (outcome.ok) return { result: { ...headOf(entry), outcome: dryRun ? 'valid' : 'published' } };
  return { result: refusedEntry(entry, outcome.refusal), refusal: outcome.refusal };
}

function refusedEntry(entry: CheckedEntry, refusal: Refusal): PublishResult {
  const { status, code, error, hint, issues } = refusal;
  return {
    ...headOf(entry),
    outcome: status === 409 && code === 'ERR_VERSION_EXISTS' ? 'exists' : 'refused',
    error,
    ...(code === undefined ? {} : { code }),
    ...(hint === undefined ? {} : { hint }),
    ...(issues.length === 0 ? {} : { issues }),
  };
}
