import { isJsonObject } from '@portolan/plugin-api';
import { homedir } from 'node:os';
import { translateCommand } from './translate-command.ts';
import { Translation } from './translation.ts';

/** One server of a file of a client. */
export interface ForeignServer {
  readonly name: string | undefined;
  /** Undefined where the server is no package, image or address. */
  readonly translation: Translation | undefined;
  /** Program that starts the server; of no use where there is a translation. */
  readonly program: string | undefined;
}

/** Members of clients' files that hold their servers. */
const SERVERS = ['mcpServers', 'servers', 'context_servers', 'mcp_servers', 'mcp'];

/** Returns the servers in the JSON of a client; undefined for another document. */
export function findForeignServers(document: unknown): readonly ForeignServer[] | undefined {
  if (!isJsonObject(document)) return undefined;
  for (const key of SERVERS) {
    const inner = document[key];
    if (!isJsonObject(inner)) continue;
    if (key === 'mcp') return findForeignServers(inner);
    const found = Object.entries(inner).filter(([, server]) => isServer(server));
    if (found.length > 0) return found.map(([name, server]) => translateServer(name, server));
  }
  if (isServer(document)) return [translateServer(undefined, document)];
  const entries = Object.entries(document);
  if (entries.length === 0 || !entries.every(([, server]) => isServer(server))) return undefined;
  return entries.map(([name, server]) => translateServer(name, server));
}

/** Some files have comments and commas before a closing bracket. Returns undefined for a text that is no JSON. */
export function parseForeignJson(text: string): unknown {
  for (const form of [text, `{${text.trim().replace(/,$/, '')}}`, withoutComments(text)]) {
    try {
      return JSON.parse(form);
    } catch {
      // The next form may be JSON.
    }
  }
  return undefined;
}

function withoutComments(text: string): string {
  return text
    .replaceAll(
      /("(?:[^"\\]|\\.)*")|\/\/[^\n]*|\/\*[^]*?\*\//g,
      (_whole, quoted: string | undefined) => quoted ?? '',
    )
    .replaceAll(/("(?:[^"\\]|\\.)*")|,(?=\s*[}\]])/g, (_whole, quoted: string | undefined) => quoted ?? '');
}

const URL_KEYS = ['url', 'httpUrl', 'serverUrl'];

function isServer(value: unknown): boolean {
  return isJsonObject(value) && (commandOf(value) !== undefined || urlOf(value) !== undefined);
}

function urlOf(server: object): string | undefined {
  const members = new Map(Object.entries(server));
  return URL_KEYS.map((key): unknown => members.get(key)).find((url) => typeof url === 'string');
}

function commandOf(server: object): readonly string[] | undefined {
  const members: ReadonlyMap<string, unknown> = new Map(Object.entries(server));
  const command = members.get('command');
  const args = members.get('args');
  const words = Array.isArray(args) ? args.map(String) : [];
  if (typeof command === 'string') return [command, ...words];
  if (Array.isArray(command)) return command.map(String);
  return isJsonObject(command) && typeof command['path'] === 'string'
    ? [command['path'], ...(Array.isArray(command['args']) ? command['args'].map(String) : [])]
    : undefined;
}

function translateServer(name: string | undefined, server: unknown): ForeignServer {
  // `isServer` was asked before.
  const members: ReadonlyMap<string, unknown> = new Map(Object.entries(server as object));
  const words = commandOf(Object.fromEntries(members));
  const url = urlOf(Object.fromEntries(members));
  const translation =
    words === undefined ? translateUrl(url ?? '', members) : translateCommand(words.map(plainPath));
  if (translation !== undefined) {
    for (const [key, value] of entriesOf(members.get('env'))) translation.addVariable(key, plainPath(value));
    if (typeof members.get('envFile') === 'string')
      translation.flags.push('--env-file', plainPath(String(members.get('envFile'))));
    if (name !== undefined && !translation.flags.includes('--name')) translation.flags.push('--name', name);
    removeDuplicates(translation);
  }
  return { name, translation, program: words?.[0] };
}

function translateUrl(url: string, members: ReadonlyMap<string, unknown>): Translation {
  const translation = new Translation();
  translation.setAddress(url);
  if (members.get('type') === 'sse' || members.get('transport') === 'sse')
    translation.flags.push('--transport', 'sse');
  for (const [key, value] of entriesOf(members.get('headers'))) translation.addHeader(key, value);
  return translation;
}

function entriesOf(value: unknown): readonly (readonly [string, string])[] {
  return isJsonObject(value) ? Object.entries(value).map(([key, one]) => [key, String(one)] as const) : [];
}

/** Variables of editors that a shell does not know. */
function plainPath(text: string): string {
  return text
    .replaceAll('${workspaceFolder}', process.cwd())
    .replaceAll(/\$\{userHome\}|\$\{env:HOME\}|\$HOME\b/g, homedir());
}

/** A variable stands in the arguments of the engine and in `env` of the file. */
function removeDuplicates({ flags }: Translation): void {
  const pairs = Array.from(
    { length: flags.length / 2 },
    (_, at) => [flags[2 * at] ?? '', flags[2 * at + 1] ?? ''] as const,
  );
  const valued = new Set(
    pairs.flatMap(([flag, value]) => (flag === '-e' && value.includes('=') ? [value.split('=')[0]] : [])),
  );
  const kept = pairs.filter(
    ([flag, value], at) =>
      pairs.findIndex(([other, same]) => other === flag && same === value) === at &&
      !(flag === '-e' && !value.includes('=') && valued.has(value)),
  );
  flags.splice(0, flags.length, ...kept.flat());
}
