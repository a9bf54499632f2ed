import { pathOf } from '../../document/field-reader.ts';
import { type JsonMembers, ownMembers } from '../../document/json-members.ts';
import type { Member, Members } from '../../members/member.ts';
import { findPassedHeaderFault } from '../../members/pass-headers.ts';
import { textOf } from '../../parse/text-of.ts';
import { refuseUnknown } from '../../run-config/members/refuse-unknown.ts';
import { checkWorkloadName } from '../../target/workload-name.ts';
import { readAggregation } from './read-aggregation.ts';
import type { Operational } from './read-operational.ts';
import { readOutgoingAuth } from './read-outgoing-auth.ts';
import { checkedAs, isSet, noteKeys, refuseKeys, type VmcpReading } from './vmcp-reading.ts';

interface Backend {
  readonly name: string;
  readonly member: Member;
}

/** Settings of the file about single backends. */
interface Shared {
  readonly named: ReadonlyMap<string, string>;
}

/**
 * Reads the backends, their names and credentials. Without backends, the members are the workloads of a group;
 * the result then has the settings of those that the file names.
 */
export function readBackends(
  reading: VmcpReading,
  document: JsonMembers,
  operational: Operational,
): { readonly members: Members } {
  const aggregation = readAggregation(reading, document);
  const auth = readOutgoingAuth(reading, document);
  const passed = readPassedHeaders(reading, document);
  const { fields } = reading;
  const listed = fields.objects(document, 'backends').map((item, index) => {
    const place = `backends[${index}]`;
    return readBackend(reading, ownMembers(item), place);
  });
  const shared = [aggregation, auth, operational];
  const isGroup = listed.length === 0;
  if (isGroup) {
    refuseCommon(reading, [aggregation.common, auth.common, passed.place]);
    noteTimeout(reading, operational);
  } else refuseStrangers(reading, shared, listed);
  const all = isGroup ? namedWorkloads(shared) : listed;
  const inOrder = [
    ...aggregation.priority.flatMap((name) => all.filter((one) => one.name === name)),
    ...all.filter(({ name }) => !aggregation.priority.includes(name)),
  ];
  const members = inOrder.map(({ name, member }) => {
    const timeout = operational.timeoutOf(name);
    const login = auth.memberOf(name);
    return [
      name,
      {
        ...member,
        ...login,
        ...aggregation.settingsOf(name),
        ...(passed.headers.length === 0 ? {} : { pass_headers: passed.headers }),
        ...(timeout === undefined ? {} : { timeout }),
      },
    ] as const;
  });
  return { members: Object.fromEntries(members) };
}

const BACKEND_KEYS = ['name', 'url', 'transport', 'type', 'caBundlePath', 'metadata'];

function readBackend(reading: VmcpReading, map: JsonMembers, at: string): Backend {
  const { fields } = reading;
  refuseUnknown(fields, map, at, { known: BACKEND_KEYS });
  refuseKeys(reading, map, at, {
    caBundlePath: 'Portolan trusts the authorities of the system and of --cli-ca-bundle',
  });
  noteKeys(reading, map, at, { metadata: 'it describes the backend' });
  const name = fields.text(map, 'name', at);
  try {
    checkWorkloadName(name, pathOf(at, 'name'));
    if (/^\d+$/.test(name)) fields.problem(pathOf(at, 'name'), undefined, 'a name with a letter');
  } catch (error) {
    fields.problems.push(textOf(error));
  }
  const type = fields.text(map, 'type', at);
  if (!['', 'entry'].includes(type)) fields.problem(pathOf(at, 'type'), type, 'entry, or nothing');
  const url = fields.text(map, 'url', at);
  if (url === '') fields.problem(pathOf(at, 'url'), undefined, 'the URL of the backend');
  else checkedAs(reading, 'remote_url', url, pathOf(at, 'url'));
  const transport = fields.text(map, 'transport', at);
  if (!['', 'sse', 'streamable-http'].includes(transport)) {
    fields.problem(pathOf(at, 'transport'), transport, 'sse or streamable-http');
  }
  return { name, member: { url, ...(transport === '' ? {} : { transport }) } };
}

function readPassedHeaders(
  { fields }: VmcpReading,
  document: JsonMembers,
): { readonly headers: readonly string[]; readonly place: string | undefined } {
  const key = 'passthroughHeaders';
  const headers = fields.texts(document, key);
  headers.forEach((header, index) => {
    const fault = findPassedHeaderFault(header);
    if (fault === undefined) return;
    fields.problems.push(`${key}[${index}]: ${JSON.stringify(header.slice(0, 60))} is not passed: ${fault}`);
  });
  return { headers, place: isSet(document, key) ? key : undefined };
}

/** Returns the workloads of a group that the file names. */
function namedWorkloads(shared: readonly Shared[]): readonly Backend[] {
  const names = new Set(shared.flatMap(({ named }) => [...named.keys()]));
  return [...names].filter((name) => name !== '').map((name) => ({ name, member: { workload: name } }));
}

/** Refuses settings that apply to every backend where the file does not list the backends. */
function refuseCommon({ fields }: VmcpReading, places: readonly (string | undefined)[]): void {
  for (const place of places) {
    if (place === undefined) continue;
    fields.problems.push(
      `${place}: found a setting of all backends without backends; expected backends beside it, as \`thv vmcp init\` writes them`,
    );
  }
}

function noteTimeout({ notes }: VmcpReading, { common }: Operational): void {
  if (common === undefined) return;
  notes.push(`${common} applies only to the workloads of the group that the file names.`);
}

/** Refuses settings of a backend that the file does not list. */
function refuseStrangers(
  { fields }: VmcpReading,
  shared: readonly Shared[],
  listed: readonly Backend[],
): void {
  for (const { named } of shared) {
    for (const [name, place] of named) {
      if (listed.some((backend) => backend.name === name)) continue;
      fields.problems.push(
        `${place}: found ${JSON.stringify(name.slice(0, 100))}; expected the name of a backend of the file`,
      );
    }
  }
}
