import { type JsonMembers, FieldReader, isJsonObject, readJson } from '@portolan/run-spec';
import { stateDamaged, stateForeign, stateNewer } from './state-errors.ts';
import type { ProcessIdentity } from './process-identity.ts';

export const WORKLOAD_STATUSES = [
  'starting',
  'running',
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

/** Format of the state files that are written. */
export const STATE_FORMAT = 1;

/** What is remembered of a workload beside what it is run from. */
export interface WorkloadState {
  readonly name: string;
  readonly status: WorkloadStatus;
  /** Why, for people; empty when there is nothing to say. */
  readonly statusContext: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly startedAt: Date | undefined;
  /** The supervisor; undefined when there is none. */
  readonly supervisor: ProcessIdentity | undefined;
  /** New for each supervisor; its `/health` answers with it. */
  readonly instance: string;
  /** Address for clients; empty until the proxy listens. */
  readonly url: string;
  /** Of the server's container; empty when there is none. */
  readonly containerId: string;
  /** Digest or id of the image it runs, so that the same one is started again. */
  readonly imageDigest: string;
  /** Whether this image's server has turned out to need a root folder that it can write to. */
  readonly writableRoot: boolean;
  /** Real path of each mounted host path when the workload was run; containers mount no other. */
  readonly mountPaths: Readonly<Record<string, string>>;
  /** Whether it was started in the background and nobody has stopped it since: then it comes back after a restart of the machine. */
  readonly wanted: boolean;
  /** What the server could not do since it was started, and what helps, for people; empty when there is nothing to say. */
  readonly notice: string;
  /** Scopes that a remote server has refused requests for the lack of, since somebody has logged in. */
  readonly missingScopes: readonly string[];
}

/** The state of a workload that has just been made. */
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
  };
}

/** The text of a state file. */
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
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

/**
 * Reads the text of a state file. Throws ERR_STATE_DAMAGED for a text that is
 * cut or garbled, ERR_STATE_FOREIGN for a document of something else, and
 * ERR_STATE_NEWER for a format of later versions.
 */
export function parseWorkloadState(text: string, file: string): WorkloadState {
  if (text.trim() === '') throw stateDamaged(file, 'it is empty');
  const reading = readJson(text);
  if ('fault' in reading) throw stateDamaged(file, reading.fault);
  if (!isJsonObject(reading.value)) throw stateForeign(file, 'JSON that is no map');
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
    // Of before this was written down, what is said to run is wanted.
    wanted: 'wanted' in map ? fields.truth(map, 'wanted') : ['running', 'unhealthy'].includes(status),
    notice: fields.text(map, 'notice'),
    missingScopes: fields.texts(map, 'missing_scopes'),
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
