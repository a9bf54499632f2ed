import { changeGroupClients, DEFAULT_GROUP, getGroup, listGroups } from '../groups/groups.ts';
import { updateUserConfig } from '../state/user-config/update-user-config.ts';
import { CLIENTS, type ClientProgram, getClient, transportFor } from './client-table.ts';
import { findLeftEntries } from './left-entries.ts';
import { filesInUse, isInstalled, locateFile } from './locate-client.ts';
import {
  addToClient,
  type ClientObserver,
  clientsOfGroup,
  type ClientsContext,
  removeFromClient,
} from './update-clients.ts';
import { findWorkloadAddress } from './workload-address.ts';

export interface ClientStatus {
  readonly client: string;
  readonly installed: boolean;
  readonly groups: readonly string[];
  /**
   * Files to which Portolan writes workloads: those of the client's installed forms, or all of its files if
   * no form is installed.
   */
  readonly files: readonly string[];
  readonly file: string;
}

const TRANSPORTS = ['streamable-http', 'sse'] as const;

/** Returns all known clients by name. Throws ERR_STATE_DAMAGED. */
export async function listClients(context: ClientsContext): Promise<readonly ClientStatus[]> {
  const groups = await listGroups(context);
  const statuses = CLIENTS.map(async (client) => await statusOf(client, groups, context));
  return (await Promise.all(statuses)).toSorted((one, other) => (one.client < other.client ? -1 : 1));
}

async function statusOf(
  client: ClientProgram,
  groups: Awaited<ReturnType<typeof listGroups>>,
  { environment, home, user }: ClientsContext,
): Promise<ClientStatus> {
  const context = { environment, home, platform: process.platform };
  const withoutGroup = user.registeredClients.includes(client.id);
  const files = (await filesInUse(client, context)).map((one) => locateFile(one, context));
  return {
    client: client.id,
    installed: await isInstalled(client, context),
    groups: groups.flatMap(({ name, registeredClients }) =>
      registeredClients.includes(client.id) || (name === DEFAULT_GROUP && withoutGroup) ? [name] : [],
    ),
    files,
    file: files[0] ?? '',
  };
}

/**
 * Registers a client with a group and writes the group's running workloads into the client's files. Sends a
 * note when the client gets commands instead of addresses. Returns warnings. Throws ERR_BAD_ARGUMENT and ERR_GROUP_UNKNOWN.
 */
export async function registerClient(
  id: string,
  group: string,
  context: ClientsContext,
  observer?: ClientObserver,
): Promise<readonly string[]> {
  const client = getClient(id);
  await changeGroupClients(group, (clients) => [...clients, id], context);
  const warnings: string[] = [];
  let isEmpty = true;
  for (const name of await namesIn([group], context)) {
    const address = await findWorkloadAddress(name, context);
    if (address === undefined) continue;
    isEmpty = false;
    warnings.push(...(await addToClient(id, address, context, observer)));
  }
  // Without entries, the notes of entries are missing, and later runs do not repeat them.
  if (isEmpty && TRANSPORTS.every((transport) => transportFor(client, transport) === 'stdio'))
    observer?.note(
      `${id} cannot connect by HTTP. Its entries start the command \`portolan proxy stdio NAME\` instead.`,
    );
  return warnings;
}

export interface UnregisteredClient {
  readonly groups: readonly string[];
  readonly warnings: readonly string[];
}

/**
 * Removes a client's registration with one group, or with all groups if `group` is absent. Also removes the
 * groups' workloads from the client's files. Without `group`, entries of workloads that no longer exist are
 * removed too. Throws ERR_BAD_ARGUMENT and ERR_GROUP_UNKNOWN.
 */
export async function unregisterClient(
  id: string,
  group: string | undefined,
  context: ClientsContext,
): Promise<UnregisteredClient> {
  getClient(id);
  if (group !== undefined) await getGroup(group, context);
  const all = await listGroups(context);
  const groups: string[] = [];
  for (const { name } of all.filter((one) => group === undefined || one.name === group)) {
    if (!(await clientsOfGroup(name, context)).ids.includes(id)) continue;
    groups.push(name);
    if (name === DEFAULT_GROUP && context.user.registeredClients.includes(id))
      await forgetWithoutGroup(id, context);
    await changeGroupClients(name, (clients) => clients.filter((one) => one !== id), context);
  }
  const warnings = new Set<string>();
  for (const name of await namesIn(groups, context)) {
    for (const warning of await removeFromClient(id, name, context)) warnings.add(warning);
  }
  if (group === undefined) {
    const left = await findLeftEntries(context, { clients: [getClient(id)] });
    for (const { name, url } of left.filter(({ isDead }) => isDead)) {
      const removed = await removeFromClient(id, name, context, { url, keepsBackup: true });
      for (const warning of removed) warnings.add(warning);
    }
  }
  return { groups, warnings: [...warnings] };
}

async function forgetWithoutGroup(id: string, { directories }: ClientsContext): Promise<void> {
  await updateUserConfig(directories, ({ registeredClients }) => [
    { path: ['clients', 'registered_clients'], value: registeredClients.filter((one) => one !== id) },
  ]);
}

async function namesIn(groups: readonly string[], { store }: ClientsContext): Promise<readonly string[]> {
  const workloads = await store.list();
  return workloads.flatMap(({ name, config }) => {
    const group = config === undefined || config.group === '' ? DEFAULT_GROUP : config.group;
    return groups.includes(group) ? [name] : [];
  });
}
