import { isJsonObject } from '@portolan/plugin-api';
import { homedir } from 'node:os';
import { translateCommand } from './translate-command.ts';
import { Translation } from './translation.ts';

export interface ForeignServer {
  readonly name: string | undefined;
  /**
   * Equivalent words of `portolan run`; undefined for a server that is not a package, an image or an address.
   */
  readonly translation: Translation | undefined;
  /** Command line that starts the server; empty for a remote server. */
  readonly words: readonly string[];
}

/** Names of members that contain the servers in configuration files of clients. */
const SERVERS = [
  'mcpServers',
  'servers',
  'context_servers',
  'mcp_servers',
  'amp.mcpServers',
  'extensions',
  'mcp',
];

/** Returns the servers in the configuration of a client; undefined for another document. */
export function findForeignServers(document: unknown): readonly ForeignServer[] | undefined {
  if (Array.isArray(document)) return serversIn(document);
  if (!isJsonObject(document)) return undefined;
  for (const key of SERVERS) {
    const inner = document[key];
    const foreignServers =
      isJsonObject(inner) && key === 'mcp' ? findForeignServers(inner) : serversIn(inner);
    if (foreignServers !== undefined) return foreignServers;
  }
  if (isServer(document)) return [translateServer(nameIn(document), document)];
  const entries = Object.entries(document);
  if (entries.length === 0 || !entries.every(([, server]) => isServer(server))) return undefined;
  return entries.map(([name, server]) => translateServer(name, server));
}

function serversIn(value: unknown): readonly ForeignServer[] | undefined {
  const entries: readonly (readonly [string | undefined, unknown])[] = Array.isArray(value)
    ? value.map((server: unknown) => [nameIn(server), server] as const)
    : isJsonObject(value)
      ? Object.entries(value)
      : [];
  const matches = entries.filter(([, server]) => isServer(server));
  return matches.length === 0 ? undefined : matches.map(([name, server]) => translateServer(name, server));
}

function nameIn(server: unknown): string | undefined {
  return isJsonObject(server) && typeof server['name'] === 'string' ? server['name'] : undefined;
}

const URL_KEYS = ['url', 'httpUrl', 'serverUrl', 'uri'];

function isServer(value: unknown): boolean {
  return isJsonObject(value) && (commandOf(value) !== undefined || urlOf(value) !== undefined);
}

function urlOf(server: object): string | undefined {
  const members = new Map(Object.entries(server));
  return URL_KEYS.map((key): unknown => members.get(key)).find((url) => typeof url === 'string');
}

function commandOf(server: object): readonly string[] | undefined {
  const members: ReadonlyMap<string, unknown> = new Map(Object.entries(server));
  const command = members.get('command') ?? members.get('cmd');
  const args = members.get('args');
  const words = Array.isArray(args) ? args.map(String) : [];
  if (typeof command === 'string') return [command, ...words];
  if (Array.isArray(command)) return command.map(String);
  return isJsonObject(command) && typeof command['path'] === 'string'
    ? [command['path'], ...(Array.isArray(command['args']) ? command['args'].map(String) : [])]
    : undefined;
}

export function translateServer(name: string | undefined, server: unknown): ForeignServer {
  // SAFETY: the caller has checked it with `isServer`.
  const members: ReadonlyMap<string, unknown> = new Map(Object.entries(server as object));
  const words = commandOf(Object.fromEntries(members));
  const url = urlOf(Object.fromEntries(members));
  const variables = ['env', 'environment', 'envs']
    .flatMap((key) => entriesOf(members.get(key)))
    .map(([key, value]) => [key, plainPath(value)] as const);
  const translation =
    words === undefined
      ? translateUrl(url ?? '', members)
      : translateCommand(words.map(plainPath), undefined, variables);
  if (translation !== undefined) {
    if (typeof members.get('envFile') === 'string')
      translation.flags.push('--env-file', plainPath(String(members.get('envFile'))));
    if (name !== undefined && !translation.flags.includes('--name')) translation.flags.push('--name', name);
    removeDuplicates(translation);
  }
  return { name, translation, words: words ?? [] };
}

function translateUrl(url: string, members: ReadonlyMap<string, unknown>): Translation {
  const translation = new Translation();
  translation.setAddress(url);
  if (members.get('type') === 'sse' || members.get('transport') === 'sse')
    translation.flags.push('--transport', 'sse');
  const headers = ['headers', 'http_headers'].flatMap((key) => entriesOf(members.get(key)));
  for (const [key, value] of headers) translation.addHeader(key, value);
  const bearer = members.get('bearer_token_env_var');
  if (typeof bearer === 'string') translation.addHeader('Authorization', `Bearer \${${bearer}}`);
  return translation;
}

function entriesOf(value: unknown): readonly (readonly [string, string])[] {
  return isJsonObject(value) ? Object.entries(value).map(([key, one]) => [key, String(one)] as const) : [];
}

/** Replaces variables of editors that a shell does not have. */
function plainPath(text: string): string {
  return text
    .replaceAll('${workspaceFolder}', process.cwd())
    .replaceAll(/\$\{userHome\}|\$\{env:HOME\}|\$HOME\b/g, homedir());
}

/** Removes repeated `-e` flags: a variable can be both in the engine's arguments and in `env` of the file. */
function removeDuplicates({ flags }: Translation): void {
  const pairs = Array.from(
    { length: flags.length / 2 },
    (_, at) => [flags[2 * at] ?? '', flags[2 * at + 1] ?? ''] as const,
  );
  const valued = new Set(
    pairs.flatMap(([flag, value]) => (flag === '-e' && value.includes('=') ? [value.split('=')[0]] : [])),
  );
  const remainingPairs = pairs.filter(
    ([flag, value], at) =>
      pairs.findIndex(([other, same]) => other === flag && same === value) === at &&
      !(flag === '-e' && !value.includes('=') && valued.has(value)),
  );
  flags.splice(0, flags.length, ...remainingPairs.flat());
}
