import { type FieldReader, pathOf } from '../../document/field-reader.ts';
import { isJsonObject, type JsonMembers, ownMembers } from '../../document/json-members.ts';
import { MEMBER_FIELDS, MEMBER_KINDS, type MemberKind } from '../../members/member-fields.ts';
import type { Member, Members } from '../../members/member.ts';
import type { PathContext } from '../../parse/volume.ts';
import { textOf } from '../../parse/text-of.ts';
import { checkWorkloadName } from '../../target/workload-name.ts';
import { checkMember } from './check-member.ts';
import { NAME_KEYS, readNames } from './read-names.ts';
import { readServer, SERVER_PARTS } from './read-server.ts';
import { refuseUnknown } from './refuse-unknown.ts';

/** How members are read. */
export interface MemberReading {
  readonly fields: FieldReader;
  /** Folder that relative paths begin at; undefined to leave paths unresolved. */
  readonly context: PathContext | undefined;
  /** Reads the run config of a member; undefined in a members file, which has none. */
  readonly readConfig: ((document: JsonMembers, at: string) => JsonMembers) | undefined;
}

const SHARED_KEYS = ['credentials', 'pass_headers', 'token_exchange', 'timeout'];

/** Reads members, with every problem and its place. Members with problems are read as far as possible. */
export function readMembers(reading: MemberReading, map: JsonMembers, at: string): Members {
  const members = Object.entries(map).map(([name, value]) => {
    const place = pathOf(at, name);
    checkName(reading, name, place);
    return [name, readMember(reading, value, place)] as const;
  });
  return Object.fromEntries(members);
}

/** Refuses names of digits alone: objects put such keys first, so that the order of the file would be lost. */
function checkName({ fields }: MemberReading, name: string, place: string): void {
  try {
    checkWorkloadName(name, place);
  } catch (error) {
    fields.problems.push(textOf(error));
    return;
  }
  if (/^\d+$/.test(name)) {
    fields.problems.push(`${place}: found a name of digits alone; expected a name with a letter`);
  }
}

function readMember(reading: MemberReading, value: unknown, place: string): Member {
  const { fields, readConfig } = reading;
  if (!isJsonObject(value)) {
    fields.problem(place, value, 'a map with workload, run or url');
    return {};
  }
  const map = ownMembers(value);
  const kinds = MEMBER_KINDS.filter((kind) => map[kind] !== undefined && map[kind] !== null);
  const [kind] = kinds;
  if (kind === undefined || kinds.length > 1) {
    const actual = kind === undefined ? 'none' : kinds.join(' and ');
    fields.problems.push(`${place}: found ${actual} of workload, run and url; expected exactly one`);
  }
  const known = knownKeys(kinds, readConfig !== undefined);
  refuseUnknown(fields, map, place, { known, otherwise: (key) => whyRefused(key, kind) });
  const config = readConfig === undefined ? undefined : fields.object(map, 'config', place);
  const member: Member = {
    ...Object.fromEntries(kinds.map((key) => [key, fields.text(map, key, place)])),
    ...readServer(reading, map, place),
    ...readNames(fields, map, place),
    ...(config === undefined || readConfig === undefined
      ? {}
      : { config: readConfig(config, pathOf(place, 'config')) }),
  };
  if (kind !== undefined && kinds.length === 1) checkMember(fields, member, place);
  return member;
}

function knownKeys(kinds: readonly MemberKind[], hasConfig: boolean): readonly string[] {
  const ofKinds = Object.entries(MEMBER_FIELDS)
    .filter(([, { of }]) => kinds.length === 0 || of.some((kind) => kinds.includes(kind)))
    .map(([key]) => key);
  const isWorkload = kinds.length === 1 && kinds[0] === 'workload';
  return [
    ...MEMBER_KINDS,
    ...NAME_KEYS,
    ...SHARED_KEYS,
    ...(isWorkload ? [] : ['remote_auth']),
    ...ofKinds,
    ...(hasConfig && !isWorkload ? ['config'] : []),
  ];
}

/** Returns a problem for a key that another kind of member has; undefined for an unknown key. */
function whyRefused(key: string, kind: MemberKind | undefined): string | undefined {
  const isKnown = Object.hasOwn(MEMBER_FIELDS, key) || SERVER_PARTS.includes(key);
  if (!isKnown || kind === undefined) return undefined;
  return kind === 'workload'
    ? 'expected it in the settings of the workload, which runs on its own'
    : 'expected it in a member with run, since a remote server runs elsewhere';
}
