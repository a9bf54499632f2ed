import type { ContainerLimits, ContainerMount, ContainerPort, ContainerSpec } from '@portolan/plugin-api';
import { isDeepStrictEqual } from 'node:util';
import { LABEL_PREFIX } from '@portolan/run-spec';
import { hookWeakens } from './container-errors.ts';

/** What the check knows beside the two specs. */
export interface ImageFacts {
  /** As the image says it; empty is root. */
  readonly imageUser: string;
  /** Whose change it is, where that is known. */
  readonly plugin?: string | undefined;
}

/**
 * Checks that what plugins made of a specification opens nothing more than what was
 * planned. Throws ERR_HOOK_WEAKENS with every change that does. What cannot be
 * judged, such as another seccomp profile, counts as opening.
 */
export function checkContainerSpec(planned: ContainerSpec, changed: ContainerSpec, facts: ImageFacts): void {
  const changes = findWeakenings(planned, changed, facts);
  if (changes.length > 0) throw hookWeakens(planned.name, changes, facts.plugin);
}

type Rule = (planned: ContainerSpec, changed: ContainerSpec, facts: ImageFacts) => readonly string[];

/** A sentence for each way in which `changed` opens more than `planned`. */
export function findWeakenings(
  planned: ContainerSpec,
  changed: ContainerSpec,
  facts: ImageFacts,
): readonly string[] {
  return Object.values(RULES).flatMap((rule) =>
    typeof rule === 'function' ? rule(planned, changed, facts) : [],
  );
}

/** Reason why a plugin may set a field freely. */
type Free = { readonly opensNothing: string };

const INSIDE: Free = {
  opensNothing: 'It changes what runs inside the container, not what the container reaches.',
};

/** A rule for every field of the specification: a field without one does not compile. */
const RULES: { readonly [Field in keyof Required<ContainerSpec>]: Rule | Free } = {
  // A container is found by its name, and its image is the one that was verified.
  name: (planned, changed) => (changed.name === planned.name ? [] : [`name: changed to ${changed.name}`]),
  image: (planned, changed) =>
    changed.image === planned.image ? [] : [`image: changed to ${changed.image}, which nobody verified`],
  command: INSIDE,
  environment: INSIDE,
  labels: checkLabels,
  entrypoint: INSIDE,
  user: checkUser,
  workingDirectory: INSIDE,
  mounts: checkMounts,
  network: checkNetwork,
  ports: checkPorts,
  stdin: { opensNothing: 'Only the supervisor attaches to the container.' },
  capabilities: (planned, changed) => {
    const known = new Set(planned.capabilities?.map(capability));
    const added = (changed.capabilities ?? []).filter((one) => !known.has(capability(one)));
    return added.map((one) => `capabilities: added ${one}`);
  },
  privileged: (planned, changed) => opened('privileged', planned.privileged, changed.privileged),
  allowNewPrivileges: (planned, changed) =>
    opened('allowNewPrivileges', planned.allowNewPrivileges, changed.allowNewPrivileges),
  writableRoot: (planned, changed) => opened('writableRoot', planned.writableRoot, changed.writableRoot),
  seccompProfile: (planned, changed) =>
    changed.seccompProfile === planned.seccompProfile ? [] : ['seccompProfile: replaced'],
  limits: checkLimits,
  init: INSIDE,
  logs: checkLogs,
  stopGraceMs: checkStopGrace,
};

/** Returns for each field of the specification whether a rule judges it. */
export function listJudgedFields(): ReadonlyMap<string, boolean> {
  return new Map(Object.entries(RULES).map(([field, rule]) => [field, typeof rule === 'function']));
}

/** Maximum size of the logs that a plugin may have the engine keep, in bytes, over all files. */
const MAX_LOG_BYTES = 100 * 1024 * 1024;

/** The engine keeps logs on the host's disk. */
function checkLogs(planned: ContainerSpec, changed: ContainerSpec): readonly string[] {
  const now = sizeOfLogs(changed);
  if (now <= Math.max(sizeOfLogs(planned), MAX_LOG_BYTES)) return [];
  return [`logs: raised to ${now} bytes; expected at most ${MAX_LOG_BYTES}`];
}

function sizeOfLogs({ logs = 'none' }: ContainerSpec): number {
  if (logs === 'none') return 0;
  const size = logs.maxBytes * logs.files;
  return logs.maxBytes > 0 && logs.files > 0 && Number.isFinite(size) ? size : Number.POSITIVE_INFINITY;
}

/** Maximum time that a plugin may let a container take to stop, in milliseconds. */
const MAX_STOP_GRACE_MS = 5 * 60 * 1000;

function checkStopGrace(planned: ContainerSpec, changed: ContainerSpec): readonly string[] {
  const { stopGraceMs: now = 0 } = changed;
  if (now >= 0 && now <= Math.max(planned.stopGraceMs ?? 0, MAX_STOP_GRACE_MS)) return [];
  return [`stopGraceMs: raised to ${now}; expected at most ${MAX_STOP_GRACE_MS}`];
}

function opened(
  field: string,
  planned: boolean | undefined,
  changed: boolean | undefined,
): readonly string[] {
  return changed === true && planned !== true ? [`${field}: switched on`] : [];
}

/** Engines take a capability with and without its prefix, in any case. */
function capability(name: string): string {
  return name.toUpperCase().replace(/^CAP_/, '');
}

/** A name could be another word for root in the image; a number cannot. */
function checkUser(
  planned: ContainerSpec,
  changed: ContainerSpec,
  { imageUser }: ImageFacts,
): readonly string[] {
  if (changed.user === planned.user) return [];
  const before = (planned.user ?? imageUser).split(':');
  if (isRoot(before[0])) return [];
  const now = (changed.user ?? imageUser).split(':');
  const fault = `user: changed to ${changed.user === '' ? 'root' : (changed.user ?? "the image's own")}`;
  if (changed.user === undefined) return isRoot(now[0]) ? [fault] : [];
  const numbers = now.length <= 2 && now.every((part) => /^[0-9]+$/.test(part));
  return numbers && !now.some((part) => isRoot(part)) ? [] : [fault];
}

function isRoot(user: string | undefined): boolean {
  return user === undefined || user === '' || user === 'root' || /^0+$/.test(user);
}

/** Another network may be none at all; and name servers are nobody's way around a gateway. */
function checkNetwork(
  { network: planned = BRIDGE }: ContainerSpec,
  changed: ContainerSpec,
): readonly string[] {
  const { network = BRIDGE } = changed;
  if (network.mode === 'none') return [];
  const { dns: _before, ...before } = { dns: undefined, ...planned };
  const { dns: _now, ...now } = { dns: undefined, ...network };
  return isDeepStrictEqual(before, now) ? [] : [`network: changed from ${planned.mode} to ${network.mode}`];
}

const BRIDGE = { mode: 'bridge' } as const;

function checkPorts(
  { ports: planned = [] }: ContainerSpec,
  { ports = [] }: ContainerSpec,
): readonly string[] {
  const isPlanned = (port: ContainerPort): boolean =>
    planned.some((one) => isDeepStrictEqual(fullPort(one), fullPort(port)));
  const added = ports.filter((port) => !isPlanned(port));
  return added.map((port) => `ports: added ${port.hostAddress}:${port.hostPort ?? ''}:${port.containerPort}`);
}

function fullPort({ containerPort, hostPort, hostAddress, protocol = 'tcp' }: ContainerPort): object {
  return { containerPort, hostPort, hostAddress, protocol };
}

/** Nothing new of the host, nothing writable that was not, and what hides something stays. */
function checkMounts(
  { mounts: planned = [] }: ContainerSpec,
  { mounts = [] }: ContainerSpec,
): readonly string[] {
  const added = mounts.flatMap((mount) => {
    const before = planned.find((one) => one.target === mount.target && one.type === mount.type);
    if (mount.type === 'tmpfs') {
      const opens = mount.executable === true && !(before?.type === 'tmpfs' && before.executable === true);
      return opens ? [`mounts: ${mount.target} lets programs be started`] : [];
    }
    if (before === undefined || before.type === 'tmpfs' || sourceOf(before) !== sourceOf(mount)) {
      return [`mounts: added ${sourceOf(mount)} at ${mount.target}`];
    }
    return before.readOnly && !mount.readOnly ? [`mounts: ${mount.target} made writable`] : [];
  });
  const twice = mounts.filter(
    (mount, index) => mounts.findIndex((one) => one.target === mount.target) < index,
  );
  const taken = planned.filter((mount) => hides(mount, planned) && !isStillHidden(mount, mounts));
  return [
    ...added,
    ...twice.map((mount) => `mounts: ${mount.target} is named twice`),
    ...taken.map((mount) => `mounts: removed ${mount.target}, which hides what is below it`),
  ];
}

function sourceOf(mount: Exclude<ContainerMount, { type: 'tmpfs' }>): string {
  return mount.type === 'bind' ? mount.source : `volume://${mount.name}`;
}

/** Whether a mount lies over a part of another one. */
function hides(mount: ContainerMount, mounts: readonly ContainerMount[]): boolean {
  return mounts.some((other) => other !== mount && isBelow(mount.target, other.target));
}

/** Still there as it was, or nothing is left of what it hides. */
function isStillHidden(mount: ContainerMount, mounts: readonly ContainerMount[]): boolean {
  return (
    mounts.some((one) => one.target === mount.target && one.type === mount.type) || !hides(mount, mounts)
  );
}

function isBelow(target: string, folder: string): boolean {
  return target.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

const LIMITS: readonly (keyof ContainerLimits)[] = ['memoryBytes', 'cpus', 'processes', 'openFiles'];

function checkLimits(
  { limits: planned = {} }: ContainerSpec,
  { limits = {} }: ContainerSpec,
): readonly string[] {
  return LIMITS.flatMap((name) => {
    const before = planned[name];
    const now = limits[name];
    // Left out it is the runtime's own limit, of which the planned one is a copy at most.
    if (now === undefined || now === before) return [];
    if (!(Number.isFinite(now) && now > 0)) return [`limits.${name}: taken away`];
    return before !== undefined && now > before ? [`limits.${name}: raised from ${before} to ${now}`] : [];
  });
}

function checkLabels(planned: ContainerSpec, changed: ContainerSpec): readonly string[] {
  const names = new Set([...Object.keys(planned.labels), ...Object.keys(changed.labels)]);
  const ours = [...names].filter((name) => name.toLowerCase().startsWith(LABEL_PREFIX));
  const differing = ours.filter((name) => planned.labels[name] !== changed.labels[name]);
  return differing.map((name) => `labels: changed ${name}`);
}
