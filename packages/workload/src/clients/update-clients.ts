import { isPortolanError } from '@portolan/plugin-api';
import { textOf } from '@portolan/run-spec';
import { DEFAULT_GROUP, findGroup, listGroups } from '../groups/groups.ts';
import { changeFile } from '../state/user-config/change-file.ts';
import type { WorkloadContext } from '../workload-context.ts';
import { type ClientEntry, entryFor, type WorkloadAddress } from './client-entry.ts';
import { type ClientProgram, CLIENTS, getClient } from './client-table.ts';
import { withEntry, withoutEntry } from './edit-client-file.ts';
import type { FileEdit } from './file-edit.ts';
import { fileOfClient } from './locate-client.ts';

export type ClientsContext = Pick<
  WorkloadContext,
  'directories' | 'environment' | 'home' | 'launcher' | 'store' | 'user'
>;

/**
 * Puts a workload into the files of the clients of its group. Whatever goes
 * wrong is a sentence in the answer, and leaves that file as it is.
 */
export async function addToClients(
  address: WorkloadAddress,
  group: string,
  context: ClientsContext,
): Promise<readonly string[]> {
  const { ids, warnings } = await clientsOfGroup(group === '' ? DEFAULT_GROUP : group, context);
  for (const id of ids) warnings.push(...(await addToClient(id, address, context)));
  return warnings;
}

/**
 * Removes a workload from the files of all clients of all groups; `url` is its address, default that of its state. Returns
 * warnings as `addToClients`.
 */
export async function removeFromClients(
  name: string,
  context: ClientsContext,
  { url }: { readonly url?: string | undefined } = {},
): Promise<readonly string[]> {
  const { ids, warnings } = await registeredClients(context);
  for (const id of ids) warnings.push(...(await removeFromClient(id, name, context, { url })));
  return warnings;
}

export async function addToClient(
  id: string,
  address: WorkloadAddress,
  context: ClientsContext,
): Promise<readonly string[]> {
  return await changeClientFile(id, context, async (client, text) => {
    const entry: ClientEntry = entryFor(client, address, context.launcher);
    return await withEntry(client, text ?? '', entry, address.url);
  });
}

export async function removeFromClient(
  id: string,
  name: string,
  context: ClientsContext,
  {
    url: known,
    keepsBackup = false,
  }: { readonly url?: string | undefined; readonly keepsBackup?: boolean } = {},
): Promise<readonly string[]> {
  const url = known ?? (await context.store.find(name))?.state?.url;
  return await changeClientFile(
    id,
    context,
    async (client, text) => (text === undefined ? { text: '' } : await withoutEntry(client, text, name, url)),
    keepsBackup,
  );
}

/** Ids of the clients that are registered with a group; the default group also has those registered without one. */
export async function clientsOfGroup(
  group: string,
  context: ClientsContext,
): Promise<{ readonly ids: readonly string[]; readonly warnings: string[] }> {
  const own = group === DEFAULT_GROUP ? context.user.registeredClients : [];
  try {
    const found = await findGroup(group, context);
    return { ids: [...new Set([...(found?.registeredClients ?? []), ...own])], warnings: [] };
  } catch (error) {
    if (!isPortolanError(error)) throw error;
    return { ids: own, warnings: [`The clients of group ${group} are not known: ${textOf(error)}.`] };
  }
}

async function registeredClients(
  context: ClientsContext,
): Promise<{ readonly ids: readonly string[]; readonly warnings: string[] }> {
  try {
    const groups = await listGroups(context);
    const ids = [...groups.flatMap((group) => group.registeredClients), ...context.user.registeredClients];
    return { ids: [...new Set(ids)], warnings: [] };
  } catch (error) {
    if (!isPortolanError(error)) throw error;
    const warning = `Not all clients are known, so all files were looked through: ${textOf(error)}.`;
    return { ids: CLIENTS.map(({ id }) => id), warnings: [warning] };
  }
}

async function changeClientFile(
  id: string,
  context: ClientsContext,
  edit: (client: ClientProgram, text: string | undefined) => Promise<FileEdit>,
  keepsBackup = false,
): Promise<readonly string[]> {
  const { directories, environment, home } = context;
  let file = '';
  try {
    const client = getClient(id);
    file = fileOfClient(client, { environment, home, platform: process.platform });
    let fault: string | undefined;
    const change = async (content: Buffer | undefined): Promise<string | undefined> => {
      const before = content === undefined ? undefined : decode(content);
      if (before === null) fault = 'it is no UTF-8 text';
      if (before === null) return undefined;
      const edited = await edit(client, before);
      if ('fault' in edited) fault = edited.fault;
      return 'fault' in edited || edited.text === (before ?? '') ? undefined : edited.text;
    };
    await changeFile(directories, file, change, undefined, { keepsBackup });
    return fault === undefined ? [] : [`${id}: ${file} was not changed: ${fault}.`];
  } catch (error) {
    if (!isPortolanError(error)) throw error;
    return [`${id}: ${file === '' ? '' : `${file} was not changed: `}${textOf(error)}.`];
  }
}

function decode(content: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    return null;
  }
}
