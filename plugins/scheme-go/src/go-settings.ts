import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { SchemeOptions } from '@portolan/plugin-api';
import type { IndexAuthorization } from '@portolan/scheme-kit';
import { authorizeIndexes, indexAddressInvalid, readIndexAddress } from '@portolan/scheme-kit';
import { settingsUnreadable } from './errors.ts';

export interface GoProxy {
  readonly from: URL | 'direct' | 'off';
  /** Whether the next proxy is used after any failure, and not only for a missing module. */
  readonly nextOnFailure: boolean;
}

export interface GoSettings {
  readonly proxies: readonly GoProxy[];
  /** Address of the checksum database; undefined for none. */
  readonly checksums: URL | undefined;
  /** Path patterns of modules that use no proxy. */
  readonly direct: readonly string[];
  /** Settings for the build, without credentials. */
  readonly variables: Readonly<Record<string, string>>;
  /** Credentials for look-ups: those in the build variable GOPROXY, and those in the netrc file of builds. */
  readonly authorize: IndexAuthorization;
}

/** Default proxies, which Go's team runs. */
const USUAL_PROXIES = 'https://proxy.golang.org,direct';
const USUAL_CHECKSUMS = 'sum.golang.org';

const NAMES = ['GOPROXY', 'GOSUMDB', 'GOPRIVATE', 'GONOPROXY', 'GONOSUMDB', 'GOINSECURE'] as const;

/** Reads variables, then the file that `go env -w` writes. Throws ERR_SETTING and ERR_INDEX_SETTINGS. */
export async function readGoSettings({
  environment,
  home,
  buildVariables = [],
  authFiles,
}: SchemeOptions): Promise<GoSettings> {
  const file = await readGoFile(environment, home);
  const value = (name: (typeof NAMES)[number]): string => environment[name] || file.get(name) || '';
  const proxies = readProxies(value('GOPROXY') || USUAL_PROXIES);
  const own = buildVariables.includes('GOPROXY') ? value('GOPROXY').split(/[,|]/).map(addressOf) : [];
  // In a build, the build's own variables determine these.
  const named = NAMES.filter((name) => !buildVariables.includes(name));
  const goSettings = named.map((name) => [name, value(name)] as const).filter(([, text]) => text !== '');
  return {
    proxies,
    checksums: readChecksums(value('GOSUMDB') || USUAL_CHECKSUMS),
    direct: (value('GONOPROXY') || value('GOPRIVATE')).split(',').filter((pattern) => pattern !== ''),
    variables: {
      ...Object.fromEntries(goSettings),
      ...(named.includes('GOPROXY') ? { GOPROXY: writeProxies(proxies) } : {}),
    },
    authorize: authorizeIndexes(own, authFiles?.netrc),
  };
}

function addressOf(part: string): string {
  const name = part.trim();
  return /^[a-z]+:/i.test(name) ? name : `https://${name}`;
}

async function readGoFile(
  environment: SchemeOptions['environment'],
  home: string,
): Promise<ReadonlyMap<string, string>> {
  const named = environment['GOENV'];
  if (named === 'off') return new Map();
  const config = environment['XDG_CONFIG_HOME'];
  const folder = config !== undefined && path.isAbsolute(config) ? config : path.join(home, '.config');
  const usual = [
    path.join(folder, 'go', 'env'),
    path.join(home, 'Library', 'Application Support', 'go', 'env'),
  ];
  const values = new Map<string, string>();
  for (const file of named === undefined || named === '' ? usual : [named]) {
    for (const line of (await readOptional(file)).split(/\r?\n/)) {
      const [, name, value] = /^([A-Z][A-Z0-9_]*)=(.*)$/.exec(line) ?? [];
      if (name !== undefined && value !== undefined && !values.has(name)) values.set(name, value);
    }
  }
  return values;
}

async function readOptional(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && ['ENOENT', 'ENOTDIR'].includes(String(error.code)))
      return '';
    throw settingsUnreadable(file, error);
  }
}

/** A comma continues after a missing module, a bar after any failure (Go modules reference, GOPROXY). */
function readProxies(text: string): readonly GoProxy[] {
  return [...text.matchAll(/([^,|]+)([,|]?)/g)].map(([, part = '', separator]) => {
    const name = part.trim();
    const nextOnFailure = separator === '|';
    if (name === 'direct' || name === 'off') return { from: name, nextOnFailure };
    const from = readIndexAddress(addressOf(name));
    if (from === undefined) throw indexAddressInvalid('GOPROXY');
    return { from, nextOnFailure };
  });
}

function writeProxies(proxies: readonly GoProxy[]): string {
  const parts = proxies.map(({ from, nextOnFailure }, at) => {
    const text = typeof from === 'string' ? from : from.href;
    return at === proxies.length - 1 ? text : `${text}${nextOnFailure ? '|' : ','}`;
  });
  return parts.join('');
}

/** Parses `off`, or a name with an optional key (`name+hash+key`) and an optional address. */
function readChecksums(text: string): URL | undefined {
  if (text === 'off') return undefined;
  const [name = '', address] = text.trim().split(/\s+/);
  return readIndexAddress(address ?? `https://${name.split('+')[0]}`);
}
