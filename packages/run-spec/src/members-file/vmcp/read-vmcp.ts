import { type FieldReader, pathOf } from '../../document/field-reader.ts';
import { isJsonObject, type JsonMembers, memberOf, ownMembers } from '../../document/json-members.ts';
import type { SearchFields } from '../../members/member.ts';
import { refuseUnknown } from '../../run-config/members/refuse-unknown.ts';
import { textOf } from '../../parse/text-of.ts';
import { checkWorkloadName, parseGroupName } from '../../target/workload-name.ts';
import type { MembersFile } from '../members-file.ts';
import { readBackends } from './read-backends.ts';
import { readIncomingAuth } from './read-incoming-auth.ts';
import { readOperational, readPolicies } from './read-operational.ts';
import { isSet, noteKeys, refuseKeys, type VmcpReading } from './vmcp-reading.ts';

/** Keys of a file of `thv vmcp` that no members file of Portolan has. */
const MARKS = [
  'groupRef',
  'backends',
  'aggregation',
  'incomingAuth',
  'outgoingAuth',
  'operational',
  'compositeTools',
  'optimizer',
  'codeMode',
];

const KEYS = [
  'name',
  ...MARKS,
  'compositeToolRefs',
  'metadata',
  'telemetry',
  'audit',
  'sessionStorage',
  'rateLimiting',
  'passthroughHeaders',
];

/** Returns whether a document is a file of `thv vmcp`, or the resource of Kubernetes with the same settings. */
export function isVmcpFile(document: JsonMembers): boolean {
  if (document['kind'] === 'VirtualMCPServer') return true;
  return document['members'] === undefined && MARKS.some((key) => Object.hasOwn(document, key));
}

/** Reads a file of `thv vmcp`. Every setting is read, noted, or refused with its place. */
export function readVmcp(fields: FieldReader, document: JsonMembers): MembersFile {
  const notes: string[] = [];
  const reading: VmcpReading = { fields, notes };
  if (document['kind'] !== undefined || document['apiVersion'] !== undefined) {
    const kind = typeof memberOf(document, 'kind') === 'string' ? String(document['kind']) : 'resource';
    fields.problems.push(
      `kind: found a resource of Kubernetes (${kind.slice(0, 60)}); expected a file of \`thv vmcp\`, as in its spec.config`,
    );
    return { ...EMPTY, notes };
  }
  refuseUnknown(fields, document, '', { known: KEYS });
  refuseKeys(reading, document, '', REFUSED);
  noteKeys(reading, document, '', { metadata: 'it describes the file' });
  const operational = readOperational(reading, document);
  const backends = readBackends(reading, document, operational);
  const group = readChecked(fields, document, 'groupRef', parseGroupName);
  const hasBackends = Object.keys(backends.members).length > 0 && isSet(document, 'backends');
  if (!hasBackends && group === undefined) {
    fields.problem('backends', undefined, 'at least one backend, or groupRef');
  }
  if (hasBackends && group !== undefined) {
    notes.push(`groupRef has no effect: the file lists its backends.`);
  }
  return {
    format: 'vmcp',
    name: readChecked(fields, document, 'name', checkWorkloadName),
    group: undefined,
    members: backends.members,
    memberGroup: hasBackends ? undefined : group,
    search: readOptimizer(reading, document),
    fields: {
      ...operational.fields,
      ...readIncomingAuth(reading, document),
      ...readPolicies(reading, document),
    },
    notes,
  };
}

const EMPTY: MembersFile = {
  format: 'vmcp',
  name: undefined,
  group: undefined,
  members: {},
  memberGroup: undefined,
  search: undefined,
  fields: {},
  notes: [],
};

const REFUSED = {
  compositeTools: 'a client calls the tools of the members one by one',
  compositeToolRefs: 'a client calls the tools of the members one by one',
} as const;

const OPTIMIZER_REFUSED = {
  embeddingService: 'the tool search uses no model: remove it, or use a plugin of the kind tool-index',
  embeddingServiceTimeout: 'the tool search uses no model',
  embeddingProvider: 'the tool search uses no model',
  embeddingModel: 'the tool search uses no model',
  embeddingHeaders: 'the tool search uses no model',
  hybridSearchSemanticRatio: 'the tool search uses no model',
  semanticDistanceThreshold: 'the tool search uses no model',
} as const;

function readOptimizer(reading: VmcpReading, document: JsonMembers): SearchFields | undefined {
  const { fields } = reading;
  const codeMode = fields.object(document, 'codeMode');
  if (codeMode !== undefined && memberOf(codeMode, 'enabled') !== false && isSet(codeMode, 'enabled')) {
    fields.problems.push('codeMode: Portolan has no counterpart; a client calls the tools of the members');
  } else if (codeMode !== undefined) {
    reading.notes.push('codeMode has no effect: it is off.');
  }
  const map = fields.object(document, 'optimizer');
  if (map === undefined) return undefined;
  refuseUnknown(fields, map, 'optimizer', {
    known: [...Object.keys(OPTIMIZER_REFUSED), 'maxToolsToReturn'],
  });
  refuseKeys(reading, map, 'optimizer', OPTIMIZER_REFUSED);
  const most = fields.integer(map, 'maxToolsToReturn', 'optimizer');
  if (most !== 0 && most !== 8) {
    reading.notes.push(
      'optimizer.maxToolsToReturn has no effect: find_tool returns 8 tools, or as many as its caller asks for.',
    );
  }
  return { mode: 'always' };
}

function readChecked(
  fields: FieldReader,
  document: JsonMembers,
  key: string,
  check: (text: string, place: string) => string,
): string | undefined {
  const value = document[key];
  // The operator writes `groupRef: { name }`.
  const map = isJsonObject(value) ? ownMembers(value) : document;
  const [name, at] = isJsonObject(value) ? ['name', key] : [key, ''];
  const text = fields.text(map, name, at);
  if (text === '') return undefined;
  try {
    return check(text, pathOf(at, name));
  } catch (error) {
    fields.problems.push(textOf(error));
    return undefined;
  }
}
