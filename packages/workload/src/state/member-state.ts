import { type FieldReader, type JsonMembers, ownMembers } from '@portolan/run-spec';
import type { JsonObject } from '@portolan/plugin-api';

export const MEMBER_STATUSES = [
  'unknown',
  'available',
  'idle',
  'unavailable',
  'unauthenticated',
  'failing',
] as const;
export type MemberStatusName = (typeof MEMBER_STATUSES)[number];

/** State of one member of a virtual server, stored in the state of the virtual server. */
export interface MemberState {
  readonly status: MemberStatusName;
  /** Newest protocol revision that the member speaks; empty while unknown. */
  readonly revision: string;
  /** Number of tools in the last known list; undefined while unknown. */
  readonly tools: number | undefined;
  readonly lastError: string;
  /** Findings about the member for the operator, one sentence each. */
  readonly findings: readonly string[];
  /** Server that runs with the virtual server; undefined for other members. */
  readonly server: MemberServerState | undefined;
}

/** State of a member's server. The fields are those of a workload's state. */
export interface MemberServerState {
  readonly containerId: string;
  readonly imageDigest: string;
  readonly writableRoot: boolean;
  readonly mountPaths: Readonly<Record<string, string>>;
  readonly missingScopes: readonly string[];
  /** Whether the server has started before. */
  readonly hasStarted: boolean;
}

export const NEW_MEMBER: MemberState = {
  status: 'unknown',
  revision: '',
  tools: undefined,
  lastError: '',
  findings: [],
  server: undefined,
};

export const NEW_MEMBER_SERVER: MemberServerState = {
  containerId: '',
  imageDigest: '',
  writableRoot: false,
  mountPaths: {},
  missingScopes: [],
  hasStarted: false,
};

export type MemberStates = Readonly<Record<string, MemberState>>;

export function memberStatesDocument(members: MemberStates): JsonObject {
  const each = Object.entries(members).map(([name, member]) => [name, memberDocument(member)] as const);
  return Object.fromEntries(each);
}

function memberDocument({ status, revision, tools, lastError, findings, server }: MemberState): JsonObject {
  return {
    status,
    ...(revision === '' ? {} : { revision }),
    ...(tools === undefined ? {} : { tools }),
    ...(lastError === '' ? {} : { last_error: lastError }),
    ...(findings.length === 0 ? {} : { findings }),
    ...(server === undefined ? {} : { server: serverDocument(server) }),
  };
}

function serverDocument(server: MemberServerState): JsonObject {
  const { containerId, imageDigest, writableRoot, mountPaths, missingScopes, hasStarted } = server;
  return {
    ...(containerId === '' ? {} : { container_id: containerId }),
    ...(imageDigest === '' ? {} : { image_digest: imageDigest }),
    ...(writableRoot ? { writable_root: true } : {}),
    ...(Object.keys(mountPaths).length === 0 ? {} : { mount_paths: mountPaths }),
    ...(missingScopes.length === 0 ? {} : { missing_scopes: missingScopes }),
    ...(hasStarted ? { has_started: true } : {}),
  };
}

export function readMemberStates(fields: FieldReader, map: JsonMembers): MemberStates {
  const members = fields.object(map, 'members') ?? ownMembers({});
  const each = Object.keys(members).map((name) => {
    const member = fields.object(members, name, 'members') ?? ownMembers({});
    return [name, readMember(fields, member, `members.${name}`)] as const;
  });
  return Object.fromEntries(each);
}

function readMember(fields: FieldReader, map: JsonMembers, at: string): MemberState {
  const status = fields.text(map, 'status', at);
  const server = fields.object(map, 'server', at);
  const tools = map['tools'];
  return {
    status: MEMBER_STATUSES.find((one) => one === status) ?? 'unknown',
    revision: fields.text(map, 'revision', at),
    tools: tools === undefined ? undefined : fields.integer(map, 'tools', at),
    lastError: fields.text(map, 'last_error', at),
    findings: fields.texts(map, 'findings', at),
    server: server === undefined ? undefined : readServer(fields, server, `${at}.server`),
  };
}

function readServer(fields: FieldReader, map: JsonMembers, at: string): MemberServerState {
  return {
    containerId: fields.text(map, 'container_id', at),
    imageDigest: fields.text(map, 'image_digest', at),
    writableRoot: fields.truth(map, 'writable_root', at),
    mountPaths: fields.textMap(map, 'mount_paths', at),
    missingScopes: fields.texts(map, 'missing_scopes', at),
    hasStarted: fields.truth(map, 'has_started', at),
  };
}
