import { once } from 'node:events';
import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { PluginContext, Route } from '@portolan/plugin-api';
import { fileUnusable, unreachable } from './errors.ts';
import type { GitConfig } from './git-config.ts';
import { type GitSettings, gitVariables } from './git-variables.ts';
import type { Repository } from './parse-repository.ts';
import { readAuthorities } from './read-authorities.ts';
import { readPassword } from './read-password.ts';
import { requireFile } from './read-small-file.ts';
import { SSH_COMMAND, sshConfiguration } from './ssh-configuration.ts';
import { connect } from 'node:net';

const PATIENCE_MS = 5000;

/**
 * Returns the first address that accepts a connection, because ssh takes only one; the first of all when none
 * does. Throws the reason of the signal.
 */
async function pickAddress(
  addresses: readonly string[] | undefined,
  port: number,
  signal: AbortSignal,
): Promise<string | undefined> {
  const [first, ...others] = addresses ?? [];
  if (others.length === 0) return first;
  for (const address of addresses ?? []) {
    const patience = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
    const socket = connect({ host: address, port, signal: patience });
    const takes = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    socket.destroy();
    signal.throwIfAborted();
    if (takes) return address;
  }
  return first;
}

export interface Connection {
  readonly environment: Readonly<Record<string, string>>;
  /** Input of the credential helper; see `runGit`. */
  readonly secret: string | undefined;
}

export interface ConnectionInput {
  readonly config: GitConfig;
  readonly context: Pick<PluginContext, 'directory' | 'environment' | 'findRoute'>;
  readonly repository: Repository;
  readonly scratch: string;
  /** Folder of the local repository; undefined when the call needs none. */
  readonly folder: string | undefined;
  readonly settings: GitSettings;
  readonly signal: AbortSignal;
}

/**
 * Credential helper: outputs the password once, from a pipe that only this git process can read. Its text is
 * constant, and git uses it only for the server of `repository`.
 */
const HELPER = '!f() { test "$1" = get && cat <&3; }; f';

/**
 * Restricts git to one protocol, no redirects, and the allowed proxy and addresses. Throws
 * ERR_SOURCE_CREDENTIAL_FILE, ERR_ADDRESS_FORBIDDEN, ERR_PROXY_INVALID and ERR_SOURCE_UNREACHABLE.
 */
export async function openConnection(input: ConnectionInput): Promise<Connection> {
  const { config, context, repository, scratch, folder } = input;
  const { scheme } = repository;
  const { addresses, proxy }: Route = scheme === 'file' ? {} : await findRoute(input);
  const isSsh = scheme === 'ssh';
  const secret = config.auth === undefined ? undefined : await readCredential(config.auth, context.directory);
  const environment = gitVariables({
    environment: context.environment,
    home: nobodyIn(scratch),
    // A folder that is not a repository, because git would otherwise search for one from its working
    // directory upwards.
    repository: folder ?? nobodyIn(scratch),
    scheme,
    settings: {
      'protocol.version': '2',
      'remote.origin.url': repository.address,
      ...(isSsh || scheme === 'file' ? {} : await webSettings(input, addresses, proxy)),
      ...(secret === undefined ? {} : { [`credential.${originOf(repository)}.helper`]: HELPER }),
      ...input.settings,
    },
    more: isSsh ? await sshVariables(input, addresses) : {},
  });
  return { environment, secret };
}

/** Stop waiting on abort, although the name look-up itself cannot be aborted. */
async function findRoute({ context, repository, signal }: ConnectionInput): Promise<Route> {
  const isOver = new AbortController();
  const aborted = once(signal, 'abort', { signal: isOver.signal }).then(() => {
    throw signal.reason;
  });
  try {
    return await Promise.race([context.findRoute(repository), aborted]);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Error && 'syscall' in error) throw unreachable('its name is not known', error);
    throw error;
  } finally {
    aborted.catch(() => undefined);
    isOver.abort();
  }
}

async function webSettings(
  { config, context, repository }: ConnectionInput,
  addresses: readonly string[] | undefined,
  proxy: URL | undefined,
): Promise<GitSettings> {
  const { host, port } = repository;
  const isName = addresses !== undefined && !addresses.includes(host);
  const ca =
    config.caCertPath === undefined ? undefined : await readAuthorities(config.caCertPath, context.directory);
  return {
    'http.followRedirects': 'false',
    'http.sslVerify': 'true',
    'http.proxy': proxy?.href ?? '',
    'http.lowSpeedLimit': '1',
    'http.lowSpeedTime': '60',
    ...(isName ? { 'http.curloptResolve': `${host}:${port}:${addresses.map(bracketed).join(',')}` } : {}),
    ...(ca === undefined ? {} : { 'http.sslCAInfo': ca.file, 'http.sslCAPath': '/dev/null' }),
  };
}

function bracketed(address: string): string {
  return address.includes(':') ? `[${address}]` : address;
}

async function sshVariables(
  { config, context, repository, scratch, signal }: ConnectionInput,
  addresses: readonly string[] | undefined,
): Promise<Readonly<Record<string, string>>> {
  if (config.ssh === undefined) throw fileUnusable('ssh.keyFile', 'is not named');
  const folder = join(scratch, 'ssh');
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { mode: 0o700 });
  // Symbolic links keep configured paths out of the ssh configuration, where ssh would expand some of their
  // characters.
  for (const [name, place] of [
    ['keyFile', 'ssh.keyFile'],
    ['knownHostsFile', 'ssh.knownHostsFile'],
  ] as const) {
    const file = resolve(context.directory, config.ssh[name]);
    await requireFile(file, place);
    await symlink(file, join(folder, name));
  }
  const file = join(folder, 'config');
  const address = await pickAddress(addresses, repository.port, signal);
  await writeFile(file, sshConfiguration({ folder, repository, address }), { mode: 0o600 });
  return { GIT_SSH_COMMAND: SSH_COMMAND, GIT_SSH_VARIANT: 'ssh', PORTOLAN_SSH_CONFIGURATION: file };
}

/**
 * Returns the path of a folder that does not exist. As a home folder it contains no settings, and as a
 * repository it is invalid.
 */
export function nobodyIn(scratch: string): string {
  return join(scratch, 'nobody');
}

async function readCredential(auth: NonNullable<GitConfig['auth']>, directory: string): Promise<string> {
  return `username=${auth.username}\npassword=${await readPassword(auth, directory)}\n`;
}

function originOf({ address }: Repository): string {
  return new URL(address).origin;
}
