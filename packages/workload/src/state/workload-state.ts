import { type JsonMembers, FieldReader, isJsonObject, readJson } from '@portolan/run-spec';
import { type MemberStates, memberStatesDocument, readMemberStates } from './member-state.ts';
import { stateDamaged, stateForeign, stateNewer } from './state-errors.ts';
import type { ProcessIdentity } from './process-identity.ts';

export const WORKLOAD_STATUSES = [
  'starting',
  'running',
  'idle',
  'stopping',
  'stopped',
  'removing',
  'error',
  'unhealthy',
  'unknown',
  'unauthenticated',
  'auth_retrying',
  'waiting',
  'policy_stopped',
] as const;
export type WorkloadStatus = (typeof WORKLOAD_STATUSES)[number];

/** Format version of written state files. */
export const STATE_FORMAT = 1;

/** Runtime state of a workload, stored beside its run config. */
export interface WorkloadState {
  readonly name: string;
  readonly status: WorkloadStatus;
  /** Reason of the status, as a text for users; may be empty. */
  readonly statusContext: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly startedAt: Date | undefined;
  readonly supervisor: ProcessIdentity | undefined;
  /**
   * Identifier of the supervisor that wrote this state. Its `/health` endpoint returns the same identifier.
   */
  readonly instance: string;
  /** Address for clients; empty until the proxy listens. */
  readonly url: string;
  readonly containerId: string;
  /** Digest or id of the image, so that a restart uses the same one. */
  readonly imageDigest: string;
  /**
   * Whether the server failed with a read-only root folder, so that its containers get a writable one.
   * Applies to the image in `imageDigest`.
   */
  readonly writableRoot: boolean;
  /**
   * Real path of each mounted host path, recorded by `run`. A container does not start when a host path leads
   * elsewhere.
   */
  readonly mountPaths: Readonly<Record<string, string>>;
  /**
   * Whether the workload runs in the background and was not stopped, so that it starts again after a reboot.
   */
  readonly wanted: boolean;
  /**
   * Text for users about what the server has failed to do since its start, and how to solve it; may be empty.
   */
  readonly notice: string;
  /** OAuth scopes that the remote server has demanded since the last login. */
  readonly missingScopes: readonly string[];
  /** Members of a virtual server, by name; empty for other workloads. */
  readonly members: MemberStates;
}

export function newWorkloadState(name: string, now: Date): WorkloadState {
  return {
    name,
    status: 'starting',
    statusContext: '',
    createdAt: now,
    updatedAt: now,
    startedAt: undefined,
    supervisor: undefined,
    instance: '',
    url: '',
    containerId: '',
    imageDigest: '',
    writableRoot: false,
    mountPaths: {},
    wanted: false,
    notice: '',
    missingScopes: [],
    members: {},
  };
}

export function formatWorkloadState(state: WorkloadState): string {
  const document = {
    format: STATE_FORMAT,
    name: state.name,
    status: state.status,
    ...(state.statusContext === '' ? {} : { status_context: state.statusContext }),
    created_at: state.createdAt.toISOString(),
    updated_at: state.updatedAt.toISOString(),
    ...(state.startedAt === undefined ? {} : { started_at: state.startedAt.toISOString() }),
    ...(state.supervisor === undefined
      ? {}
      : { process_id: state.supervisor.pid, process_started: state.supervisor.started }),
    ...(state.instance === '' ? {} : { instance: state.instance }),
    ...(state.url === '' ? {} : { url: state.url }),
    ...(state.containerId === '' ? {} : { container_id: state.containerId }),
    ...(state.imageDigest === '' ? {} : { image_digest: state.imageDigest }),
    ...(state.writableRoot ? { writable_root: true } : {}),
    ...(Object.keys(state.mountPaths).length === 0 ? {} : { mount_paths: state.mountPaths }),
    wanted: state.wanted,
    ...(state.notice === '' ? {} : { notice: state.notice }),
    ...(state.missingScopes.length === 0 ? {} : { missing_scopes: state.missingScopes }),
    ...(Object.keys(state.members).length === 0 ? {} : { members: memberStatesDocument(state.members) }),
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

/**
 * Parses a state file. Throws ERR_STATE_DAMAGED for invalid JSON or fields, ERR_STATE_FOREIGN for another
 * document, and ERR_STATE_NEWER for the format of a later version.
 */
export function parseWorkloadState(text: string, file: string): WorkloadState {
  if (text.trim() === '') throw stateDamaged(file, 'it is empty');
  const reading = readJson(text);
  if ('fault' in reading) throw stateDamaged(file, reading.fault);
  if (!isJsonObject(reading.value)) throw stateForeign(file, 'JSON that is not a map');
  const { format } = reading.value;
  if (!Number.isSafeInteger(format) || typeof format !== 'number' || format < 1) {
    throw stateForeign(file, format === undefined ? 'a document without "format"' : 'an unknown "format"');
  }
  if (format > STATE_FORMAT) throw stateNewer(file, format, STATE_FORMAT);
  return readState(reading.value, file);
}

function readState(map: JsonMembers, file: string): WorkloadState {
  const fields = new FieldReader('');
  const status = fields.text(map, 'status');
  const known = WORKLOAD_STATUSES.find((one) => one === status);
  if (known === undefined) fields.problem('status', status, `one of ${WORKLOAD_STATUSES.join(', ')}`);
  const pid = fields.integer(map, 'process_id');
  const state: WorkloadState = {
    name: fields.text(map, 'name'),
    status: known ?? 'unknown',
    statusContext: fields.text(map, 'status_context'),
    createdAt: readDate(fields, map, 'created_at') ?? new Date(0),
    updatedAt: readDate(fields, map, 'updated_at') ?? new Date(0),
    startedAt: readDate(fields, map, 'started_at'),
    supervisor: pid === 0 ? undefined : { pid, started: fields.text(map, 'process_started') },
    instance: fields.text(map, 'instance'),
    url: fields.text(map, 'url'),
    containerId: fields.text(map, 'container_id'),
    imageDigest: fields.text(map, 'image_digest'),
    writableRoot: fields.truth(map, 'writable_root'),
    mountPaths: fields.textMap(map, 'mount_paths'),
    // State files of earlier versions have no `wanted`. For these, it is true if the workload was running.
    wanted: 'wanted' in map ? fields.truth(map, 'wanted') : ['running', 'unhealthy'].includes(status),
    notice: fields.text(map, 'notice'),
    missingScopes: fields.texts(map, 'missing_scopes'),
    members: readMemberStates(fields, map),
  };
  if (state.name === '') fields.problem('name', undefined, 'the name of the workload');
  if (fields.problems.length > 0) throw stateDamaged(file, fields.problems.join('; '));
  return state;
}

function readDate(fields: FieldReader, map: JsonMembers, key: string): Date | undefined {
  const text = fields.text(map, key);
  if (text === '') return undefined;
  const date = new Date(text);
  if (!Number.isNaN(date.getTime())) return date;
  fields.problem(key, text, 'a time such as 2026-08-21T09:10:00Z');
  return undefined;
}
