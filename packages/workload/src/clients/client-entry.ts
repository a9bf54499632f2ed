import { isDeepStrictEqual } from 'node:util';
import { isLoopbackHost } from '@portolan/outbound';
import { isJsonObject } from '@portolan/run-spec';
import {
  type ClientProgram,
  type EntryTemplate,
  type EntryValue,
  PLACEHOLDERS,
  transportFor,
} from './client-table.ts';

export interface WorkloadAddress {
  readonly name: string;
  readonly url: string;
  readonly transport: 'sse' | 'streamable-http';
}

/** Entry of a workload in a client's file. */
export interface ClientEntry {
  readonly name: string;
  readonly fields: Readonly<Record<string, EntryValue>>;
  /** Fields that only entries for other transports have. They are removed from an existing entry. */
  readonly without: readonly string[];
}

interface EntryValues {
  readonly name: string;
  readonly url: string;
  readonly command: EntryValue;
  readonly args: EntryValue;
  readonly words: EntryValue;
}

/**
 * Returns the entry that makes a client use a workload. A client that does not support the workload's
 * transport gets a command that serves the workload over stdio. `launcher` holds the program of that command
 * and its first arguments.
 */
export function entryFor(
  client: ClientProgram,
  { name, url, transport }: WorkloadAddress,
  launcher: readonly string[] = ['portolan'],
): ClientEntry {
  const template = client.entries[transportFor(client, transport)] ?? client.entries.stdio;
  const [command = '', ...first] = launcher;
  const args = [...first, ...BRIDGE, name];
  const fields = fillTemplate(template, { name, url, command, args, words: [command, ...args] });
  const others = templatesOf(client).flatMap((one) => Object.keys(one));
  return { name, fields, without: [...new Set(others)].filter((key) => !Object.hasOwn(fields, key)) };
}

/** Arguments of `portolan`, before the workload's name, that serve a workload over stdio. */
const BRIDGE = ['proxy', 'stdio'];

function fillTemplate(template: EntryTemplate, values: EntryValues): Readonly<Record<string, EntryValue>> {
  return Object.fromEntries(
    Object.entries(template).map(([key, value]) => [key, valueFor(value, values) ?? value]),
  );
}

/**
 * Returns the workload's value for a placeholder of a template; undefined when `value` is not a placeholder.
 */
function valueFor(value: EntryValue, values: EntryValues): EntryValue | undefined {
  for (const key of ['name', 'url', 'command', 'args', 'words'] as const) {
    if (isDeepStrictEqual(value, PLACEHOLDERS[key])) return values[key];
  }
  return undefined;
}

/**
 * Returns whether Portolan wrote an entry. An entry counts as Portolan's if it contains the workload's URL, a
 * loopback URL without TLS, or the command that serves the workload. The user may have written any other
 * entry for a server of the same name.
 */
export function isOurs(
  entry: unknown,
  client: ClientProgram,
  name: string,
  url: string | undefined,
): boolean {
  if (!isJsonObject(entry)) return false;
  const words = keysOf(client, 'args', 'words').map((key) => entry[key]);
  if (words.some((value) => isBridge(value, name))) return true;
  if (keysOf(client, 'command', 'words').some((key) => key in entry)) return false;
  const address = addressIn(entry, client);
  return address !== undefined && (address === url || isLoopback(address));
}

function isBridge(words: unknown, name: string): boolean {
  const last = Array.isArray(words) ? words.slice(-BRIDGE.length - 1) : [];
  return isDeepStrictEqual(last, [...BRIDGE, name]);
}

/**
 * Returns the URL of an entry unedited since Portolan wrote it; the empty string if it has a
 * command instead of a URL. Returns undefined for an edited or foreign entry.
 */
export function addressOfUnchanged(entry: unknown, client: ClientProgram, name: string): string | undefined {
  if (!isOurs(entry, client, name, undefined) || !isJsonObject(entry)) return undefined;
  const url = addressIn(entry, client) ?? '';
  const isWritten = templatesOf(client).some((template) => {
    const own = (key: 'command' | 'args' | 'words'): EntryValue => valueIn(entry, template, key);
    const values = { name, url, command: own('command'), args: own('args'), words: own('words') };
    return isDeepStrictEqual({ ...entry }, fillTemplate(template, values));
  });
  return isWritten ? url : undefined;
}

/**
 * Returns the value that an entry has in the field of a placeholder. The command differs between
 * installations of Portolan, so any command must count as unchanged.
 */
function valueIn(
  entry: Readonly<Record<string, unknown>>,
  template: EntryTemplate,
  placeholder: keyof typeof PLACEHOLDERS,
): EntryValue {
  const [key = ''] = keysWith(template, placeholder);
  const value = entry[key];
  if (Array.isArray(value)) return value.map(String);
  return typeof value === 'string' ? value : '';
}

function addressIn(entry: Readonly<Record<string, unknown>>, client: ClientProgram): string | undefined {
  return keysOf(client, 'url')
    .map((key) => entry[key])
    .find((value) => typeof value === 'string');
}

function isLoopback(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === 'http:' && isLoopbackHost(hostname);
}

function keysOf(
  client: ClientProgram,
  ...placeholders: readonly (keyof typeof PLACEHOLDERS)[]
): readonly string[] {
  const keys = templatesOf(client).flatMap((template) =>
    placeholders.flatMap((placeholder) => keysWith(template, placeholder)),
  );
  return [...new Set(keys)];
}

function keysWith(template: EntryTemplate, placeholder: keyof typeof PLACEHOLDERS): readonly string[] {
  return Object.entries(template).flatMap(([key, value]) =>
    isDeepStrictEqual(value, PLACEHOLDERS[placeholder]) ? [key] : [],
  );
}

function templatesOf({ entries, former = [] }: ClientProgram): readonly EntryTemplate[] {
  return [...Object.values(entries), ...former];
}
