import { isJsonObject } from '@portolan/run-spec';
import type { ClientProgram } from './client-table.ts';

/** Where a workload is reached, and how a client speaks to it there. */
export interface WorkloadAddress {
  readonly name: string;
  readonly url: string;
  readonly transport: 'sse' | 'streamable-http';
}

export type EntryValue = string | number | boolean;

/** What an entry is to have. */
export interface ClientEntry {
  readonly name: string;
  /** In the order in which they are written. */
  readonly fields: Readonly<Record<string, EntryValue>>;
  /** Fields that say the same for another transport, and may not be there. */
  readonly without: readonly string[];
}

export function entryFor(client: ClientProgram, { name, url, transport }: WorkloadAddress): ClientEntry {
  const { type, extra = {} } = client;
  const urlField = client.url[transport];
  const fields = {
    ...Object.fromEntries(
      Object.entries(extra).map(([key, value]) => [key, value === 'NAME' ? name : value]),
    ),
    [urlField]: url,
    ...(type === undefined ? {} : { [type.key]: type[transport] }),
  };
  return { name, fields, without: urlFieldsOf(client).filter((field) => field !== urlField) };
}

/**
 * Whether an entry was written for a workload, rather than by a person for a
 * server of the same name: it has an address, which is the workload's or one of
 * this machine without TLS, as all workloads have.
 */
export function isOurs(entry: unknown, client: ClientProgram, url: string | undefined): boolean {
  if (!isJsonObject(entry) || 'command' in entry) return false;
  const address = urlFieldsOf(client)
    .map((field) => entry[field])
    .find((value) => typeof value === 'string');
  return address !== undefined && (address === url || isLoopback(address));
}

function isLoopback(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'http:' && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

function urlFieldsOf({ url }: ClientProgram): readonly string[] {
  return [...new Set([url['streamable-http'], url.sse])];
}
