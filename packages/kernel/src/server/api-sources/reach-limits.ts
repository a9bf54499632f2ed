import { lstat, realpath } from 'node:fs/promises';
import { isIP } from 'node:net';
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { isPublicAddress } from '@portolan/outbound';
import type { ReachedHost } from '@portolan/plugin-api';
import type { ApiSourcesConfig } from '../../config/core-schema.ts';
import { describeValue } from '../../faults/describe-value.ts';
import { matchesHost, parseHostPattern } from '../../config/host-pattern.ts';

/** Why something may not be reached: the parts of a message. */
export interface ReachFault {
  readonly found: string;
  readonly expected: string;
}

/** What sources made through the API may reach, as the operator has configured it. */
export class ReachLimits {
  readonly allowPrivateAddresses: boolean;
  readonly allowServerCredentials: boolean;
  readonly #directories: readonly string[];
  readonly #directory: string;
  readonly #hosts: readonly NonNullable<ReturnType<typeof parseHostPattern>>[];

  /** Relative paths start at `directory`. */
  constructor(config: ApiSourcesConfig, directory: string) {
    this.allowPrivateAddresses = config.allowPrivateAddresses;
    this.allowServerCredentials = config.allowServerCredentials;
    this.#directory = directory;
    this.#directories = config.allowedDirectories.map((path) => resolve(directory, path));
    this.#hosts = config.allowedHosts.flatMap((text) => parseHostPattern(text) ?? []);
  }

  /** Whether a host, as it stands in an address, may be asked; its addresses are looked at where it is connected to. */
  allowsHost(hostname: string): boolean {
    return this.#hosts.length === 0 || matchesHost(hostname, this.#hosts);
  }

  /**
   * Why a file may not be read; undefined when it may. It has to lie in an allowed
   * directory when all links are followed; it need not be there yet. The answer
   * says nothing of what is outside of them.
   */
  async faultOfFile(path: string): Promise<ReachFault | undefined> {
    if (this.#directories.length === 0) {
      return {
        found: 'a local file',
        expected: 'none: apiSources.allowedDirectories of the server is empty',
      };
    }
    const file = resolve(this.#directory, path);
    // Behind a link, `..` leads elsewhere than its text says; a kind may open the path as it is written.
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

  /** Why an address may not be asked; undefined when it may. The address itself, which may be a secret, is not shown. */
  faultOfUrl(text: string): ReachFault | undefined {
    const url = URL.parse(text);
    if (url === null || !/^https?:$/.test(url.protocol)) {
      return { found: 'something else', expected: 'an address that begins with https:// or http://' };
    }
    if (url.username !== '' || url.password !== '') {
      return {
        found: 'an address with a user or password',
        expected: 'one without: what is made through the API is stored and shown as it is',
      };
    }
    return this.#faultOfHostname(url.hostname);
  }

  /** Why credentials of the server itself may not be used; undefined when they may. `credentials` is in words. */
  faultOfCredentials(credentials: string): ReachFault | undefined {
    if (this.allowServerCredentials) return undefined;
    return { found: credentials, expected: 'none: apiSources.allowServerCredentials of the server is false' };
  }

  /** Why a host may not be connected to, by whatever protocol; undefined when it may. */
  faultOfHost({ host }: Pick<ReachedHost, 'host'>): ReachFault | undefined {
    const hostname = hostnameOf(host);
    if (hostname === undefined) return { found: 'no host', expected: 'the name or the address of a host' };
    return this.#faultOfHostname(hostname);
  }

  /** `hostname` as it stands in an address. */
  #faultOfHostname(hostname: string): ReachFault | undefined {
    if (!this.allowsHost(hostname)) {
      return {
        found: `the host ${hostname}`,
        expected: 'one of those that apiSources.allowedHosts of the server names',
      };
    }
    const address = hostname.replace(/^\[(.*)\]$/, '$1');
    if (isIP(address) === 0 || this.allowPrivateAddresses || isPublicAddress(address)) return undefined;
    return {
      found: `the address ${address}`,
      expected: 'a public one: apiSources.allowPrivateAddresses of the server is false',
    };
  }
}

/**
 * As a host is written in an address of the web: in lower case, names of other
 * scripts encoded, the many ways to write an address of IPv4 as one, IPv6 in
 * brackets; undefined for what cannot be written so.
 */
function hostnameOf(host: string): string | undefined {
  const url = URL.parse(`http://${isIP(host) === 6 ? `[${host}]` : host}/`);
  const isHost = url !== null && url.href === `http://${url.hostname}/`;
  return isHost ? url.hostname : undefined;
}

/** Whether a path lies in a directory by its text; both are absolute. */
function isBelow(path: string, directory: string): boolean {
  const between = relative(directory, path);
  return between !== '' && between !== '..' && !between.startsWith(`..${sep}`) && !isAbsolute(between);
}

/** Whether it does when links are followed. What cannot be found out counts as outside. */
async function leadsBelow(file: string, directory: string): Promise<boolean> {
  try {
    return isBelow(await realPlace(file), await realpath(directory));
  } catch {
    return false; // a circle of links, a directory that may not be searched, or is not there
  }
}

/** Where a path leads when links are followed; for what is not there, where it would be made. */
async function realPlace(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
  // A link to what is not there: whoever makes that decides where it leads.
  if (await isThere(path)) throw new Error('the link leads nowhere');
  return join(await realPlace(dirname(path)), basename(path));
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
