import { readFile } from 'node:fs/promises';
import { isVirtualServer, type RunConfig, workloadsOf } from '@portolan/run-spec';
import { DEFAULT_GROUP } from '../groups/default-group.ts';
import type { StoredWorkload } from '../state/workload-store.ts';
import { type ClientProgram, getClient } from './client-table.ts';
import { withoutEntry } from './edit-client-file.ts';
import { locateFile } from './locate-client.ts';
import { type ClientsContext, removeFromClient } from './update-clients.ts';

/** Entries of a client for workloads that a virtual server of the same client serves as well. */
export interface MemberEntries {
  readonly virtualServer: string;
  /** Names of the workloads. */
  readonly members: readonly string[];
}

/**
 * Returns the entries of a client that its virtual servers of a group make unnecessary. Leaves out entries that
 * the user wrote, and members that are no workloads, which no client has. Throws ERR_BAD_ARGUMENT.
 */
export async function findMemberEntries(
  id: string,
  group: string,
  context: ClientsContext,
): Promise<readonly MemberEntries[]> {
  const workloads = await context.store.list();
  const texts = await readFiles(getClient(id), context);
  const hasEntry = async (name: string): Promise<boolean> => {
    const url = workloads.find((one) => one.name === name)?.state?.url;
    const found = await Promise.all(texts.map((text) => holdsEntry(getClient(id), text, { name, url })));
    return found.includes(true);
  };
  const entries: MemberEntries[] = [];
  for (const { name, config } of workloads) {
    if (config === undefined || !isVirtualServer(config) || groupOf(config) !== group) continue;
    if (!(await hasEntry(name))) continue;
    const members: string[] = [];
    for (const member of membersOf(config, workloads)) if (await hasEntry(member)) members.push(member);
    if (members.length > 0) entries.push({ virtualServer: name, members });
  }
  return entries;
}

/** Removes such entries from the files of a client. Returns a warning for each file that cannot be changed. */
export async function removeMemberEntries(
  id: string,
  entries: readonly MemberEntries[],
  context: ClientsContext,
): Promise<readonly string[]> {
  const names = new Set(entries.flatMap(({ members }) => members));
  const warnings: string[] = [];
  for (const name of names) warnings.push(...(await removeFromClient(id, name, context)));
  return warnings;
}

async function readFiles(
  client: ClientProgram,
  { environment, home }: ClientsContext,
): Promise<readonly string[]> {
  const host = { environment, home, platform: process.platform };
  const files = client.files.map((file) => locateFile(file, host));
  return await Promise.all(files.map(async (file) => await readFile(file, 'utf8').catch(() => '')));
}

/** Returns whether a text has the entry that Portolan wrote for a workload. */
async function holdsEntry(
  client: ClientProgram,
  text: string,
  { name, url }: { readonly name: string; readonly url: string | undefined },
): Promise<boolean> {
  if (text === '') return false;
  const edit = await withoutEntry(client, text, name, url);
  return !('fault' in edit) && edit.text !== text;
}

/** Returns the workloads that are members. A virtual server is no member of itself. */
function membersOf(
  { name, members, member_group: group }: RunConfig,
  workloads: readonly StoredWorkload[],
): readonly string[] {
  const ofGroup = workloads.filter(
    ({ config }) => group !== '' && config !== undefined && groupOf(config) === group,
  );
  const names = new Set([...workloadsOf(members), ...ofGroup.map((one) => one.name)]);
  return [...names].filter((one) => one !== name);
}

function groupOf({ group }: RunConfig): string {
  return group === '' ? DEFAULT_GROUP : group;
}
