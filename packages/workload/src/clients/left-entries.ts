import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { isWorkloadName } from '@portolan/run-spec';
import { CLIENTS, type ClientProgram } from './client-table.ts';
import { listUnchangedEntries, type UnchangedEntry } from './edit-client-file.ts';
import { locateFile } from './locate-client.ts';
import type { ClientsContext } from './update-clients.ts';

/** Entry that Portolan wrote for a workload that no longer exists. */
export interface LeftEntry extends UnchangedEntry {
  readonly client: string;
  readonly file: string;
  /** Whether no program, or only another workload, listens at the URL. */
  readonly isDead: boolean;
}

const CONNECT_MS = 1000;

export async function findLeftEntries(
  context: ClientsContext,
  { clients = CLIENTS }: { readonly clients?: readonly ClientProgram[] } = {},
): Promise<readonly LeftEntry[]> {
  const entries = (await Promise.all(clients.map((client) => readEntries(client, context)))).flat();
  const workloads = await context.store.list();
  const names = new Set(workloads.map(({ name }) => name));
  const ports = new Set(workloads.map(({ config }) => config?.port ?? 0));
  const left = entries.filter(({ name }) => isWorkloadName(name) && !names.has(name));
  return await Promise.all(left.map(async (entry) => ({ ...entry, isDead: await isDead(entry, ports) })));
}

async function readEntries(
  client: ClientProgram,
  { environment, home }: ClientsContext,
): Promise<readonly Omit<LeftEntry, 'isDead'>[]> {
  const context = { environment, home, platform: process.platform };
  const matches: Omit<LeftEntry, 'isDead'>[] = [];
  for (const file of client.files.map((one) => locateFile(one, context))) {
    const text = await readFile(file, 'utf8').catch(() => '');
    const entries = await listUnchangedEntries(client, text);
    matches.push(...entries.map((entry) => ({ ...entry, client: client.id, file })));
  }
  return matches;
}

async function isDead({ url }: UnchangedEntry, workloadPorts: ReadonlySet<number>): Promise<boolean> {
  if (url === '') return true;
  const { hostname, port } = new URL(url);
  if (workloadPorts.has(Number(port))) return true;
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const host = hostname.replaceAll(/[[\]]/g, '');
  const connection = connect({ host, port: Number(port || 80), timeout: CONNECT_MS });
  connection.once('connect', () => resolve(false));
  connection.once('error', () => resolve(true));
  // A timeout does not prove that nothing listens: a firewall may drop the packets.
  connection.once('timeout', () => resolve(false));
  try {
    return await promise;
  } finally {
    connection.destroy();
  }
}
