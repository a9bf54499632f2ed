import { isDeepStrictEqual } from 'node:util';
import type { RunFlags } from '@portolan/run-spec';
import type { FileWorkload } from '@portolan/run-spec/workloads-file';
import type { ForeignEntry } from '@portolan/workload/clients';
import { secretName } from '../foreign-command/secret-values.ts';
import { type MovableServer, readMovable } from './movable-server.ts';

/** Server that becomes a workload, with every entry of a client that it comes from. */
export interface MovingServer extends MovableServer {
  readonly origins: readonly ForeignEntry[];
}

/** Entry of a client that stays, and why. */
export interface StayingEntry {
  readonly entry: ForeignEntry;
  readonly because: string;
}

export interface MovableServers {
  readonly moving: readonly MovingServer[];
  readonly staying: readonly StayingEntry[];
}

/**
 * Returns the workloads for the servers of clients. Entries of several clients with one name and equal settings
 * become one workload. If two different servers have one name, the id of its client is appended to the later name.
 */
export function findMovable(
  entries: readonly ForeignEntry[],
  environment: Readonly<Record<string, string | undefined>>,
): MovableServers {
  const moving = new Map<string, MovingServer>();
  const staying: StayingEntry[] = [];
  for (const entry of entries) {
    const read = readMovable(entry, environment);
    if ('stays' in read) {
      staying.push({ entry, because: read.stays });
      continue;
    }
    const names = [read.workload.name, `${read.workload.name}-${entry.client}`];
    const name = names.find((one) => isFreeFor(read, moving.get(one)));
    if (name === undefined) {
      staying.push({ entry, because: 'another server of this client has its name' });
      continue;
    }
    const origins = [...(moving.get(name)?.origins ?? []), entry];
    moving.set(name, { ...read, workload: { ...read.workload, name }, origins });
  }
  return { moving: [...moving.values()], staying };
}

/** Returns whether a name is free, or belongs to an equal server of another client. */
function isFreeFor({ workload, secrets }: MovableServer, there: MovingServer | undefined): boolean {
  if (there === undefined) return true;
  const { name: _own, ...own } = workload;
  const { name: _other, ...other } = there.workload;
  return isDeepStrictEqual(own, other) && isDeepStrictEqual(secrets, there.secrets);
}

export interface NamedServers {
  readonly servers: readonly MovingServer[];
  /** Secrets that the secret store lacks, with their values. */
  readonly toStore: ReadonlyMap<string, string>;
}

/**
 * Gives each secret a name under which the secret store has no other value: its own name, else with the name of
 * the server in front. `find` returns the value that the store has.
 */
export async function nameSecrets(
  servers: readonly MovingServer[],
  find: (name: string) => Promise<string | undefined>,
): Promise<NamedServers> {
  const toStore = new Map<string, string>();
  const named: MovingServer[] = [];
  for (const server of servers) {
    let { workload } = server;
    const secrets = new Map<string, string>();
    for (const [secret, value] of server.secrets) {
      for (let attempt = 0; ; attempt += 1) {
        const name = nameOfAttempt(secret, workload.name, attempt);
        const stored = toStore.get(name) ?? (await find(name));
        if (stored !== undefined && stored !== value) continue;
        if (stored === undefined) toStore.set(name, value);
        secrets.set(name, value);
        workload = { ...workload, flags: renameSecret(workload.flags, secret, name) };
        break;
      }
    }
    named.push({ ...server, workload, secrets });
  }
  return { servers: named, toStore };
}

function nameOfAttempt(secret: string, workload: string, attempt: number): string {
  if (attempt === 0) return secret;
  const name = `${secretName(workload)}_${secret}`;
  return attempt === 1 ? name : `${name}_${attempt}`;
}

function renameSecret(flags: RunFlags, from: string, to: string): FileWorkload['flags'] {
  if (from === to) return flags;
  const { secrets, remoteForwardHeadersSecret: headers } = flags;
  return {
    ...flags,
    ...(secrets === undefined
      ? {}
      : {
          secrets: secrets.map((text) =>
            text.startsWith(`${from},`) ? `${to}${text.slice(from.length)}` : text,
          ),
        }),
    ...(headers === undefined
      ? {}
      : {
          remoteForwardHeadersSecret: headers.map((text) =>
            text.endsWith(`=${from}`) ? `${text.slice(0, -from.length)}${to}` : text,
          ),
        }),
  };
}
