import { readFile } from 'node:fs/promises';
import { codeOf, textOf } from '@portolan/run-spec';
import { backupOf } from '../state/user-config/change-file.ts';
import { entryFor } from './client-entry.ts';
import { CLIENTS, type ClientProgram, getClient } from './client-table.ts';
import { type EntryReplacement, type FileEntry, listEntries, withReplacements } from './edit-client-file.ts';
import { locateFile } from './locate-client.ts';
import { changeClientFile, type ClientsContext } from './update-clients.ts';
import { findWorkloadAddress } from './workload-address.ts';

/** Server in the file of a client that does not come from Portolan. */
export interface ForeignEntry extends FileEntry {
  readonly client: string;
  readonly file: string;
}

/** Id that means every client in the client table. */
const ALL_CLIENTS = 'all';

/**
 * Returns the servers in the files of clients that are no workloads, and a warning for each file that cannot be
 * read. `all` means every client. Throws ERR_BAD_ARGUMENT for an unknown client.
 */
export async function findForeignEntries(
  ids: readonly string[],
  context: ClientsContext,
): Promise<{ readonly entries: readonly ForeignEntry[]; readonly warnings: readonly string[] }> {
  const clients = ids.includes(ALL_CLIENTS) ? CLIENTS : [...new Set(ids)].map(getClient);
  const { environment, home } = context;
  const host = { environment, home, platform: process.platform };
  const own = new Set((await context.store.list()).flatMap(({ state }) => state?.url || []));
  const entries: ForeignEntry[] = [];
  const warnings: string[] = [];
  for (const client of clients) {
    for (const file of new Set(client.files.map((one) => locateFile(one, host)))) {
      const read = await readEntries(client, file);
      if ('fault' in read) warnings.push(`${client.id}: ${file} was not read: ${read.fault}.`);
      else {
        const foreign = read.filter((entry) => !isWorkload(entry, own));
        entries.push(...foreign.map((entry) => ({ ...entry, client: client.id, file })));
      }
    }
  }
  return { entries, warnings };
}

async function readEntries(
  client: ClientProgram,
  file: string,
): Promise<readonly FileEntry[] | { readonly fault: string }> {
  try {
    return await listEntries(client, await readFile(file, 'utf8'));
  } catch (error) {
    return codeOf(error) === 'ENOENT' ? [] : { fault: textOf(error) };
  }
}

/** Returns whether an entry leads to a workload: by the command that serves it, or by its address. */
function isWorkload({ value, isOurs }: FileEntry, urls: ReadonlySet<string>): boolean {
  if (!isOurs) return false;
  const texts = Object.values(Object(value)).filter((one) => typeof one === 'string');
  const addresses = texts.filter((text) => /^https?:\/\//.test(text));
  return addresses.length === 0 || addresses.some((address) => urls.has(address));
}

/** Server that became a workload. */
export interface MovedEntry {
  readonly entry: ForeignEntry;
  readonly workload: string;
}

/**
 * Writes the entries of workloads in place of the servers that became workloads, after a backup of each file.
 * Returns the changed files with their backups, and a warning for each file that cannot be changed.
 */
export async function moveEntries(
  moved: readonly MovedEntry[],
  context: ClientsContext,
): Promise<{
  readonly files: readonly { readonly file: string; readonly backup: string }[];
  readonly warnings: readonly string[];
}> {
  const files: { file: string; backup: string }[] = [];
  const warnings: string[] = [];
  for (const group of Map.groupBy(moved, ({ entry }) => `${entry.client}\0${entry.file}`).values()) {
    const [first] = group;
    if (first === undefined) continue;
    const { client: id, file } = first.entry;
    const client = getClient(id);
    const replacements = await replacementsOf(client, group, context);
    warnings.push(
      ...(await changeClientFile(client, file, context, {
        filesOf: async () => [],
        edit: async (_client, text) => await withReplacements(client, text ?? '', replacements),
        onChange: () => void files.push({ file, backup: backupOf(file) }),
        keepsBackup: true,
      })),
    );
  }
  return { files, warnings };
}

async function replacementsOf(
  client: ClientProgram,
  moved: readonly MovedEntry[],
  context: ClientsContext,
): Promise<readonly EntryReplacement[]> {
  const replacements: EntryReplacement[] = [];
  for (const { entry, workload } of moved) {
    const address = await findWorkloadAddress(workload, context);
    if (address === undefined) continue;
    replacements.push({ former: entry, entry: entryFor(client, address, context.launcher) });
  }
  return replacements;
}
