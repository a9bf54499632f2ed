import { FieldReader } from '../document/field-reader.ts';
import { isJsonObject, type JsonMembers, ownMembers } from '../document/json-members.ts';
import type { PathContext } from '../parse/volume.ts';
import { textOf } from '../parse/text-of.ts';
import { findNameProblems, withoutNames } from '../run-config/members/find-name-problems.ts';
import { readMembers } from '../run-config/members/read-members.ts';
import { readSearch } from '../run-config/members/read-search.ts';
import { refuseUnknown } from '../run-config/members/refuse-unknown.ts';
import { checkWorkloadName, parseGroupName } from '../target/workload-name.ts';
import { badMembersFile } from './members-file-errors.ts';
import type { MembersFile } from './members-file.ts';
import { readYaml } from './read-yaml.ts';
import { isVmcpFile, readVmcp } from './vmcp/read-vmcp.ts';

const KEYS = ['name', 'group', 'members', 'search'];

/**
 * Parses a members file, YAML or JSON, of Portolan or of `thv vmcp`. Relative paths in it begin at the working
 * directory of `context`; without a context they stay as they are. Throws ERR_SETTING with every problem and
 * its place, including the conflicts of names that the file shows.
 */
export function parseMembersFile(text: string, file: string, context?: PathContext): MembersFile {
  const document = parseDocument(text, file);
  return isVmcpFile(document)
    ? readWhole(file, (fields) => readVmcp(fields, document))
    : readWhole(file, (fields) => readOwn(fields, document, context));
}

/** Parses a file of `thv vmcp`. Throws ERR_SETTING with every problem and its place. */
export function readVmcpFile(text: string, file: string): MembersFile {
  const document = parseDocument(text, file);
  return readWhole(file, (fields) => readVmcp(fields, document));
}

function parseDocument(text: string, file: string): JsonMembers {
  const reading = readYaml(text);
  if ('fault' in reading) throw badMembersFile(file, [reading.fault]);
  if (!isJsonObject(reading.value)) throw badMembersFile(file, ['the document: expected a map']);
  return ownMembers(reading.value);
}

function readWhole(file: string, read: (fields: FieldReader) => MembersFile): MembersFile {
  const fields = new FieldReader('');
  const result = read(fields);
  // A group may have further members, so that its file cannot show which names exist.
  const search = result.memberGroup === undefined ? result.search : withoutNames(result.search);
  const problems = [...fields.problems, ...findNameProblems({ members: result.members, search })];
  if (problems.length > 0) throw badMembersFile(file, problems);
  return result;
}

function readOwn(fields: FieldReader, document: JsonMembers, context: PathContext | undefined): MembersFile {
  refuseUnknown(fields, document, '', { known: KEYS });
  const map = fields.object(document, 'members') ?? ownMembers({});
  if (Object.keys(map).length === 0) fields.problem('members', undefined, 'at least one member');
  const search = fields.object(document, 'search');
  return {
    format: 'members',
    name: readName(fields, document),
    group: readGroup(fields, document, 'group'),
    members: readMembers({ fields, context, readConfig: undefined }, map, 'members'),
    memberGroup: undefined,
    search: search === undefined ? undefined : readSearch(fields, search, 'search'),
    fields: {},
    notes: [],
  };
}

function readName(fields: FieldReader, document: JsonMembers): string | undefined {
  return readChecked(fields, document, { key: 'name', check: checkWorkloadName });
}

function readGroup(fields: FieldReader, document: JsonMembers, key: string): string | undefined {
  return readChecked(fields, document, { key, check: parseGroupName });
}

function readChecked(
  fields: FieldReader,
  document: JsonMembers,
  { key, check }: { readonly key: string; readonly check: (text: string, place: string) => string },
): string | undefined {
  const text = fields.text(document, key);
  if (text === '') return undefined;
  try {
    return check(text, key);
  } catch (error) {
    fields.problems.push(textOf(error));
    return undefined;
  }
}
