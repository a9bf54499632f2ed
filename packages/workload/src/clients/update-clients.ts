import { isPortolanError } from '@portolan/plugin-api';
import { textOf } from '@portolan/run-spec';
import { DEFAULT_GROUP, findGroup, listGroups } from '../groups/groups.ts';
import { changeFile } from '../state/user-config/change-file.ts';
import type { WorkloadContext } from '../workload-context.ts';
import { type ClientEntry, entryFor, type WorkloadAddress } from './client-entry.ts';
import { type ClientFile, type ClientProgram, CLIENTS, getClient, transportFor } from './client-table.ts';
import { withEntry, withoutEntry } from './edit-client-file.ts';
import type { FileEdit } from './file-edit.ts';
import { type ClientContext, filesInUse, locateFile } from './locate-client.ts';

export type ClientsContext = Pick<
  WorkloadContext,
  'directories' | 'environment' | 'home' | 'launcher' | 'store' | 'user'
>;

/** Receives notes about changes that the operator may not expect. */
export interface ClientObserver {
  note(text: string): void;
}

const SILENT: ClientObserver = { note: () => undefined };

/**
 * Writes a workload into the files of its group's clients. Returns a warning for each file that cannot be
 * changed.
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
 * Removes a workload from the files of all registered clients. `url` defaults to the URL in the workload's
 * state. Returns warnings like `addToClients`.
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

/**
 * Writes a workload into the files of a client. Sends a note when the client does not support the workload's
 * transport. Returns warnings like `addToClients`.
 */
export async function addToClient(
  id: string,
  address: WorkloadAddress,
  context: ClientsContext,
  observer: ClientObserver = SILENT,
): Promise<readonly string[]> {
  return await changeClientFiles(id, context, {
    filesOf: filesInUse,
    edit: async (client, text) => {
      const entry: ClientEntry = entryFor(client, address, context.launcher);
      return await withEntry(client, text ?? '', entry, address.url);
    },
    onChange: (client, file) => {
      if (transportFor(client, address.transport) === 'stdio') observer.note(noteCommand(id, address, file));
    },
  });
}

function noteCommand(id: string, { name, transport }: WorkloadAddress, file: string): string {
  const missing = transport === 'sse' ? 'HTTP+SSE' : 'streamable HTTP';
  return `${id} cannot connect by ${missing}. Its entry ${name} in ${file} starts the command \`portolan proxy stdio ${name}\` instead.`;
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
  return await changeClientFiles(id, context, {
    filesOf: async ({ files }) => files,
    edit: async (client, text) =>
      text === undefined ? { text: '' } : await withoutEntry(client, text, name, url),
    keepsBackup,
  });
}

/**
 * Returns the ids of a group's clients. The default group includes clients that were registered without a
 * group.
 */
export async function clientsOfGroup(
  group: string,
  context: ClientsContext,
): Promise<{ readonly ids: readonly string[]; readonly warnings: string[] }> {
  const own = group === DEFAULT_GROUP ? context.user.registeredClients : [];
  try {
    const match = await findGroup(group, context);
    return { ids: [...new Set([...(match?.registeredClients ?? []), ...own])], warnings: [] };
  } catch (error) {
    if (!isPortolanError(error)) throw error;
    return { ids: own, warnings: [`The clients of group ${group} cannot be determined: ${textOf(error)}.`] };
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
    const warning = `Not all registered clients can be determined, so the files of all clients were searched: ${textOf(error)}.`;
    return { ids: CLIENTS.map(({ id }) => id), warnings: [warning] };
  }
}

export interface ClientChange {
  readonly filesOf: (client: ClientProgram, context: ClientContext) => Promise<readonly ClientFile[]>;
  readonly edit: (client: ClientProgram, text: string | undefined) => Promise<FileEdit>;
  readonly onChange?: (client: ClientProgram, file: string) => void;
  readonly keepsBackup?: boolean;
}

async function changeClientFiles(
  id: string,
  context: ClientsContext,
  change: ClientChange,
): Promise<readonly string[]> {
  const { environment, home } = context;
  const hostContext = { environment, home, platform: process.platform };
  try {
    const client = getClient(id);
    const warnings: string[] = [];
    for (const file of await change.filesOf(client, hostContext)) {
      warnings.push(...(await changeClientFile(client, locateFile(file, hostContext), context, change)));
    }
    return warnings;
  } catch (error) {
    if (!isPortolanError(error)) throw error;
    return [`${id}: ${textOf(error)}.`];
  }
}

/** Changes one file of a client. Returns a warning if it cannot be changed. */
export async function changeClientFile(
  client: ClientProgram,
  file: string,
  { directories }: ClientsContext,
  { edit, onChange, keepsBackup = false }: ClientChange,
): Promise<readonly string[]> {
  let fault: string | undefined;
  let isChanged = false;
  const change = async (content: Buffer | undefined): Promise<string | undefined> => {
    const before = content === undefined ? undefined : decode(content);
    if (before === null) fault = 'it is not UTF-8 text';
    if (before === null) return undefined;
    const edited = await edit(client, before);
    if ('fault' in edited) fault = edited.fault;
    isChanged = !('fault' in edited) && edited.text !== (before ?? '');
    return 'fault' in edited || !isChanged ? undefined : edited.text;
  };
  try {
    await changeFile(directories, file, change, undefined, { keepsBackup });
  } catch (error) {
    if (!isPortolanError(error)) throw error;
    return [`${client.id}: ${file} was not changed: ${textOf(error)}.`];
  }
  if (fault !== undefined) return [`${client.id}: ${file} was not changed: ${fault}.`];
  if (isChanged) onChange?.(client, file);
  return [];
}

function decode(content: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(content);
  } catch {
    return null;
  }
}
