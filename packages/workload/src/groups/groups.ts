import path from 'node:path';
import {
  parseGroupName,
  type JsonMembers,
  FieldReader,
  isJsonObject,
  ownMembers,
  readJson,
} from '@portolan/run-spec';
import { DEFAULT_GROUP } from './default-group.ts';
import type { Directories } from '../state/directories.ts';
import { filesIn, readText, removeFile } from '../state/state-files.ts';
import { changeFile, withFileLock } from '../state/user-config/change-file.ts';
import { groupExistsAlready, groupStays, groupUnknown, groupDamaged } from './group-errors.ts';

export { DEFAULT_GROUP } from './default-group.ts';

export interface GroupsContext {
  readonly directories: Pick<Directories, 'groups'>;
}

/** Returns a group; undefined for an unknown or invalid name. Throws ERR_STATE_DAMAGED. */
export async function findGroup(name: string, { directories }: GroupsContext): Promise<Group | undefined> {
  if (!isGroupName(name)) return undefined;
  const file = fileOf(name, directories);
  const text = await readText(file);
  if (text !== undefined) return parseGroupFile(text, file, name).group;
  return name === DEFAULT_GROUP ? { name, registeredClients: [] } : undefined;
}

/** Returns a group. Throws ERR_GROUP_UNKNOWN and ERR_STATE_DAMAGED. */
export async function getGroup(name: string, context: GroupsContext): Promise<Group> {
  const group = await findGroup(name, context);
  if (group === undefined) throw groupUnknown(name);
  return group;
}

export async function listGroupNames({ directories }: GroupsContext): Promise<readonly string[]> {
  const files = await filesIn(directories.groups);
  const names = files.flatMap((file) => (file.endsWith('.json') ? [file.slice(0, -'.json'.length)] : []));
  return [...new Set([DEFAULT_GROUP, ...names.filter(isGroupName)])].toSorted();
}

/** Returns all groups by name. Throws ERR_STATE_DAMAGED. */
export async function listGroups(context: GroupsContext): Promise<readonly Group[]> {
  const names = await listGroupNames(context);
  const groups = await Promise.all(names.map(async (name) => await findGroup(name, context)));
  return groups.flatMap((group) => group ?? []);
}

/** Creates a group without clients. Throws ERR_SETTING and ERR_RESOURCE_EXISTS. */
export async function createGroup(name: string, { directories }: GroupsContext): Promise<Group> {
  const group: Group = { name: parseGroupName(name, 'NAME'), registeredClients: [] };
  if (name === DEFAULT_GROUP) throw groupExistsAlready(name);
  // oxlint-disable-next-line require-await -- what is thrown has to reject
  await changeFile(directories, fileOf(name, directories), async (content) => {
    if (content !== undefined) throw groupExistsAlready(name);
    return formatGroupFile(group, { name });
  });
  return group;
}

/** Changes the registered clients of a group. Throws ERR_GROUP_UNKNOWN and ERR_STATE_DAMAGED. */
export async function changeGroupClients(
  name: string,
  change: (clients: readonly string[]) => readonly string[],
  { directories }: GroupsContext,
): Promise<Group> {
  if (!isGroupName(name)) throw groupUnknown(name);
  const file = fileOf(name, directories);
  let changed: Group | undefined;
  // oxlint-disable-next-line require-await -- what is thrown has to reject
  await changeFile(directories, file, async (content) => {
    if (content === undefined && name !== DEFAULT_GROUP) throw groupUnknown(name);
    const { group, members } =
      content === undefined
        ? { group: { name, registeredClients: [] }, members: { name } }
        : parseGroupFile(content.toString('utf8'), file, name);
    changed = { name, registeredClients: [...new Set(change(group.registeredClients))] };
    return formatGroupFile(changed, members);
  });
  return changed ?? { name, registeredClients: [] };
}

/** Removes the file of a group, even an unreadable one. Throws ERR_SETTING and ERR_GROUP_UNKNOWN. */
export async function deleteGroup(name: string, { directories }: GroupsContext): Promise<void> {
  if (name === DEFAULT_GROUP) throw groupStays(name);
  if (!isGroupName(name)) throw groupUnknown(name);
  await withFileLock(directories, fileOf(name, directories), async (file) => {
    if ((await readText(file)) === undefined) throw groupUnknown(name);
    await removeFile(file);
  });
}

function fileOf(name: string, { groups }: Pick<Directories, 'groups'>): string {
  return path.join(groups, `${name}.json`);
}

function isGroupName(name: string): boolean {
  try {
    return parseGroupName(name, 'name') === name;
  } catch {
    return false;
  }
}

export interface Group {
  readonly name: string;
  readonly registeredClients: readonly string[];
}

interface GroupDocument {
  readonly group: Group;
  /** All members of the file, including unknown ones. */
  readonly members: JsonMembers;
}

/** Parses a group file. Throws ERR_STATE_DAMAGED. */
function parseGroupFile(text: string, file: string, name: string): GroupDocument {
  const reading = readJson(text);
  if ('fault' in reading) throw groupDamaged(file, reading.fault);
  if (!isJsonObject(reading.value)) throw groupDamaged(file, 'it is not a map');
  const fields = new FieldReader('');
  const members = ownMembers(reading.value);
  const match = fields.text(members, 'name');
  const registeredClients = fields.texts(members, 'registered_clients');
  if (match !== '' && match !== name) fields.problems.push(`name: found another name; expected ${name}`);
  if (fields.problems.length > 0) throw groupDamaged(file, fields.problems.join('; '));
  return { group: { name, registeredClients }, members };
}

function formatGroupFile({ name, registeredClients }: Group, members: JsonMembers): string {
  const document = { ...members, name, registered_clients: registeredClients };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}
