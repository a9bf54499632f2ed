import { type FieldReader, pathOf } from '../document/field-reader.ts';
import { isJsonObject, type JsonMembers, ownMembers } from '../document/json-members.ts';
import { MEMBER_FIELDS, type MemberKind } from '../members/member-fields.ts';
import type { Member } from '../members/member.ts';
import { requestOfMember } from '../members-file/member-request.ts';
import { textOf } from '../parse/text-of.ts';
import type { PathContext } from '../parse/volume.ts';
import { isConfigFile } from '../run-config/members/check-member.ts';
import { readServer } from '../run-config/members/read-server.ts';
import { refuseUnknown } from '../run-config/members/refuse-unknown.ts';
import { checkRemoteUrl } from '../run-config/checks/check-values.ts';
import { liftSecrets } from '../run-config/lift-secrets.ts';
import { parseRunConfig } from '../run-config/parse-run-config.ts';
import { parseGroupName } from '../target/workload-name.ts';
import { flagKeysOf, readFlagKeys } from './flag-keys.ts';
import { type FileWorkload, WORKLOAD_KINDS, type WorkloadKind } from './workloads-file.ts';

export interface WorkloadReading {
  readonly fields: FieldReader;
  /** Folder that relative paths begin at; undefined to leave paths unresolved. */
  readonly context: PathContext | undefined;
}

const PARTS = ['remote_auth', 'token_exchange'];

/** Returns the keys of settings that apply to a kind of workload, without the key of the kind itself. */
export function settingKeysOf(kind: WorkloadKind): readonly string[] {
  if (kind !== 'run' && kind !== 'url') return flagKeysOf(kind);
  return [...memberKeysOf(kind), ...PARTS, ...flagKeysOf(kind)];
}

function memberKeysOf(kind: MemberKind): readonly string[] {
  return Object.entries(MEMBER_FIELDS).flatMap(([key, { of }]) =>
    of.some((one) => one === kind) ? [key] : [],
  );
}

/** Returns the kind of a workload. Adds a problem unless it has exactly one. */
export function readKind(fields: FieldReader, map: JsonMembers, place: string): WorkloadKind | undefined {
  const kinds = WORKLOAD_KINDS.filter((kind) => map[kind] !== undefined && map[kind] !== null);
  const [kind] = kinds;
  if (kinds.length === 1) return kind;
  const actual = kind === undefined ? 'none' : kinds.join(' and ');
  fields.problems.push(`${place}: found ${actual} of ${WORKLOAD_KINDS.join(', ')}; expected exactly one`);
  return undefined;
}

/** Reads one workload of a file, with every problem and its place. */
export function readWorkload(
  { fields, context }: WorkloadReading,
  name: string,
  map: JsonMembers,
  kind: WorkloadKind,
  place: string,
): FileWorkload {
  refuseUnknown(fields, map, place, {
    known: [kind, ...settingKeysOf(kind)],
    otherwise: (key) => whyRefused(key, kind),
  });
  const base = { name, kind, target: undefined, args: [], flags: {}, config: undefined };
  switch (kind) {
    case 'config':
      return { ...base, config: readConfig({ fields, context }, map, place) };
    case 'members':
    case 'member_group': {
      const named = fields.text(map, kind, place);
      if (named.trim() === '') fields.problem(pathOf(place, kind), undefined, EXPECTED[kind]);
      else if (kind === 'member_group') attempt(fields, () => parseGroupName(named, pathOf(place, kind)));
      const virtual = kind === 'members' ? { members: named } : { memberGroup: named };
      return { ...base, flags: { ...readFlagKeys(fields, map, place, context), ...virtual } };
    }
    case 'run':
    case 'url':
    default:
      return { ...base, ...readServerOf({ fields, context }, map, kind, place) };
  }
}

const EXPECTED: Readonly<Record<WorkloadKind, string>> = {
  run: 'a server of the registry, an image, SCHEME://PACKAGE, a URL, or the path of a run config (./FILE.json)',
  url: 'the URL of a remote server',
  members: 'the path of a members file',
  member_group: 'the name of a group',
  config: 'a run config, or the path of one (./FILE.json)',
};

function readServerOf(
  { fields, context }: WorkloadReading,
  map: JsonMembers,
  kind: 'run' | 'url',
  place: string,
): Pick<FileWorkload, 'target' | 'args' | 'flags' | 'config'> {
  const target = fields.text(map, kind, place);
  if (target.trim() === '') fields.problem(pathOf(place, kind), undefined, EXPECTED[kind]);
  else if (kind === 'url') attempt(fields, () => checkRemoteUrl(target, pathOf(place, kind)));
  if (kind === 'run' && isConfigFile(target)) {
    for (const key of Object.keys(map).filter((one) => one !== kind)) {
      fields.problems.push(
        `${pathOf(place, key)}: found a setting next to a run config; expected it in that file`,
      );
    }
    return { target: undefined, args: [], flags: {}, config: { file: target } };
  }
  const member: Member = { [kind]: target, ...readServer({ fields, context }, map, place) };
  const request = requestOfMember(member);
  return {
    target,
    args: request?.args ?? [],
    flags: { ...request?.flags, ...readFlagKeys(fields, map, place, context) },
    config: undefined,
  };
}

function readConfig(
  { fields, context }: WorkloadReading,
  map: JsonMembers,
  place: string,
): FileWorkload['config'] {
  const at = pathOf(place, 'config');
  const { config } = map;
  if (typeof config === 'string') {
    if (!isConfigFile(config)) fields.problem(at, config, EXPECTED.config);
    return { file: config };
  }
  if (!isJsonObject(config)) {
    fields.problem(at, config, EXPECTED.config);
    return { text: '{}' };
  }
  const text = formatConfig(ownMembers(config));
  try {
    const { config: parsed } = parseRunConfig(text, at, context);
    for (const { place: secret } of liftSecrets(parsed).secrets) {
      fields.problems.push(
        `${at}.${secret}: found a secret in plain text; expected a reference to it, NAME,target=TARGET`,
      );
    }
  } catch (error) {
    const [first = '', ...problems] = textOf(error).split('\n');
    fields.problems.push(
      ...(problems.length === 0 ? [first] : problems.map((problem) => `${at}.${problem.trim()}`)),
    );
  }
  return { text };
}

/** Formats a run config like `formatRunConfig`, so that the digest of an exported run config is the same. */
export function formatConfig(document: object): string {
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

function attempt(fields: FieldReader, check: () => unknown): void {
  try {
    check();
  } catch (error) {
    fields.problems.push(textOf(error));
  }
}

/** Returns what is expected of a key that another kind of workload has; undefined for an unknown key. */
function whyRefused(key: string, kind: WorkloadKind): string | undefined {
  if (!settingKeysOf('run').includes(key) && !settingKeysOf('url').includes(key)) return undefined;
  return kind === 'config'
    ? 'expected it in the run config, which is complete'
    : `expected it in a workload of another kind than ${kind}`;
}
