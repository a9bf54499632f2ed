import { lstat, realpath } from 'node:fs/promises';
import { isIP } from 'node:net';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { isPublicAddress } from '@portolan/outbound';
import type { ReachedHost } from '@portolan/plugin-api';
import type { ApiSourcesConfig } from '../../config/core-schema.ts';
import { describeValue } from '../../faults/describe-value.ts';
import { matchesHost, parseHostPattern } from '../../config/host-pattern.ts';

export interface ReachFault {
  readonly found: string;
  readonly expected: string;
}

export class ReachLimits {
  readonly allowPrivateAddresses: boolean;
  readonly allowServerCredentials: boolean;
  readonly #directories: readonly string[];
  readonly #directory: string;
  readonly #hosts: readonly NonNullable<ReturnType<typeof parseHostPattern>>[];

  constructor(config: ApiSourcesConfig, directory: string) {
    this.allowPrivateAddresses = config.allowPrivateAddresses;
    this.allowServerCredentials = config.allowServerCredentials;
    this.#directory = directory;
    this.#directories = config.allowedDirectories.map((path) => resolve(directory, path));
    this.#hosts = config.allowedHosts.flatMap((text) => parseHostPattern(text) ?? []);
  }

  /** Returns whether the limits allow a host name. Its IP addresses are checked on connection. */
  allowsHost(hostname: string): boolean {
    return this.#hosts.length === 0 || matchesHost(hostname, this.#hosts);
  }

  /**
   * Returns why a source may not read a file. The file need not exist, but with symbolic links resolved it
   * must be in an allowed directory. The reason reveals nothing about files outside of these directories.
   */
  async faultOfFile(path: string): Promise<ReachFault | undefined> {
    if (this.#directories.length === 0) {
      return {
        found: 'a local file',
        expected: 'no local file: apiSources.allowedDirectories of the server is empty',
      };
    }
    const file = resolve(this.#directory, path);
    // Keeps the path as written: `..` after a symbolic link leads elsewhere than its text suggests, and a
    // kind may open the path unnormalized.
    const written = isAbsolute(path) ? path : `${this.#directory}${sep}${path}`;
    for (const directory of this.#directories) {
      if (!isBelow(file, directory) || !(await leadsBelow(file, directory))) continue;
      if (await leadsBelow(written, directory)) return undefined;
    }
    return {
      found: describeValue(path),
      expected: 'a file in one of the directories that apiSources.allowedDirectories of the server names',
    };
  }

  /** Returns why a source may not request a URL. The reason omits the URL, which may contain a secret. */
  faultOfUrl(text: string): ReachFault | undefined {
    const url = URL.parse(text);
    if (url === null || !/^https?:$/.test(url.protocol)) {
      return { found: 'another text', expected: 'an address that begins with https:// or http://' };
    }
    if (url.username !== '' || url.password !== '') {
      return {
        found: 'an address with a user or password',
        expected:
          'an address without them, because definitions of the API are stored and shown in plain text',
      };
    }
    return this.#faultOfHostname(url.hostname);
  }

  /**
   * Returns why a source may not use the server's own credentials, which `credentials` describes in words.
   */
  faultOfCredentials(credentials: string): ReachFault | undefined {
    if (this.allowServerCredentials) return undefined;
    return {
      found: credentials,
      expected: 'no credentials of the server: apiSources.allowServerCredentials is false',
    };
  }

  faultOfHost({ host }: Pick<ReachedHost, 'host'>): ReachFault | undefined {
    const hostname = hostnameOf(host);
    if (hostname === undefined) return { found: 'no host', expected: 'the name or the address of a host' };
    return this.#faultOfHostname(hostname);
  }

  #faultOfHostname(hostname: string): ReachFault | undefined {
    if (!this.allowsHost(hostname)) {
      return {
        found: `the host ${hostname}`,
        expected: 'a host in apiSources.allowedHosts of the server',
      };
    }
    const address = hostname.replace(/^\[(.*)\]$/, '$1');
    if (isIP(address) === 0 || this.allowPrivateAddresses || isPublicAddress(address)) return undefined;
    return {
      found: `the address ${address}`,
      expected: 'a public address: apiSources.allowPrivateAddresses of the server is false',
    };
  }
}

/**
 * Returns the host as in a web URL: lower case, IDNA-encoded, IPv4 in dotted form, IPv6 in brackets.
 * Undefined when impossible.
 */
function hostnameOf(host: string): string | undefined {
  const url = URL.parse(`http://${isIP(host) === 6 ? `[${host}]` : host}/`);
  const isHost = url !== null && url.href === `http://${url.hostname}/`;
  return isHost ? url.hostname : undefined;
}

function isBelow(path: string, directory: string): boolean {
  const between = relative(directory, path);
  return between !== '' && between !== '..' && !between.startsWith(`..${sep}`) && !isAbsolute(between);
}

/**
 * Returns whether a file is in a directory after symbolic links are resolved. False when they cannot be
 * resolved.
 */
async function leadsBelow(file: string, directory: string): Promise<boolean> {
  try {
    return isBelow(await resolveRealPath(file), await realpath(directory));
  } catch {
    return false; // circular links, an unreadable directory, or an absent one
  }
}

/**
 * Returns the path of a file with symbolic links resolved. For an absent file, the path where it would be
 * created.
 */
async function resolveRealPath(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  // A symbolic link without a target: the party that creates the target later would decide where the link
  // leads.
  if (await isThere(path)) throw new Error('the symbolic link has no target');
  return join(await resolveRealPath(dirname(path)), basename(path));
}

async function isThere(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
