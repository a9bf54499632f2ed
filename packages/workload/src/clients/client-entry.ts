import { isDeepStrictEqual } from 'node:util';
import { isJsonObject } from '@portolan/run-spec';
import type { ClientProgram } from './client-table.ts';

/** Where a workload is reached, and how a client speaks to it there. */
export interface WorkloadAddress {
  readonly name: string;
  readonly url: string;
  readonly transport: 'sse' | 'streamable-http';
}

export type EntryValue = string | number | boolean | readonly string[];

/** What an entry is to have. */
export interface ClientEntry {
  readonly name: string;
  /** In the order in which they are written. */
  readonly fields: Readonly<Record<string, EntryValue>>;
  /** Fields that say the same for another transport, and may not be there. */
  readonly without: readonly string[];
}

/**
 * The entry of a workload. A client that knows no addresses gets a command:
 * `launcher`, which begins with a program, is how this one is started.
 */
export function entryFor(
  client: ClientProgram,
  { name, url, transport }: WorkloadAddress,
  launcher: readonly string[] = ['portolan'],
): ClientEntry {
  const { type, extra = {} } = client;
  if (client.url === undefined) {
    const [command = '', ...words] = launcher;
    return { name, fields: { command, args: [...words, ...BRIDGE, name] }, without: [] };
  }
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

/** The command that serves a workload, whose name stands behind it, on standard input and output. */
const BRIDGE = ['proxy', 'stdio'];

/**
 * Whether an entry was written for a workload, rather than by a person for a
 * server of the same name: it has an address, which is the workload's or one of
 * this machine without TLS, as all workloads have; or it is the command that
 * serves the workload.
 */
export function isOurs(
  entry: unknown,
  client: ClientProgram,
  name: string,
  url: string | undefined,
): boolean {
  if (!isJsonObject(entry)) return false;
  if (client.url === undefined) {
    const { args } = entry;
    const last = Array.isArray(args) ? args.slice(-BRIDGE.length - 1) : [];
    return JSON.stringify(last) === JSON.stringify([...BRIDGE, name]);
  }
  if ('command' in entry) return false;
  const address = urlFieldsOf(client)
    .map((field) => entry[field])
    .find((value) => typeof value === 'string');
  return address !== undefined && (address === url || isLoopback(address));
}

/**
 * Returns the address of an entry that is, field by field, what Portolan writes for a workload of
 * that name; undefined for any other entry, such as one that a person has changed. The address is empty
 * for a client that knows no addresses.
 */
export function addressOfUnchanged(entry: unknown, client: ClientProgram, name: string): string | undefined {
  if (!isOurs(entry, client, name, undefined) || !isJsonObject(entry)) return undefined;
  if (client.url === undefined) return '';
  const fields = entry;
  const url = urlFieldsOf(client)
    .map((field) => fields[field])
    .find((value) => typeof value === 'string');
  if (url === undefined) return undefined;
  const written = (['streamable-http', 'sse'] as const).map(
    (transport) => entryFor(client, { name, url, transport }).fields,
  );
  return written.some((one) => isDeepStrictEqual({ ...fields }, { ...one })) ? url : undefined;
}

function isLoopback(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'http:' && /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname);
}

function urlFieldsOf({ url }: ClientProgram): readonly string[] {
  return url === undefined ? [] : [...new Set([url['streamable-http'], url.sse])];
}
