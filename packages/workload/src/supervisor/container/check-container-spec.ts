import type { ContainerLimits, ContainerMount, ContainerPort, ContainerSpec } from '@portolan/plugin-api';
import { isDeepStrictEqual } from 'node:util';
import { LABEL_PREFIX } from '@portolan/run-spec';
import { hookWeakens } from './container-errors.ts';

export interface ImageFacts {
  /** User that the image names; empty means root. */
  readonly imageUser: string;
  /** Plugin that made the change, where known. */
  readonly plugin?: string | undefined;
}

/**
 * Checks that plugins have not made a container spec more permissive than planned. Throws ERR_HOOK_WEAKENS
 * with every permissive change. A change that cannot be compared, such as another seccomp profile, counts as
 * more permissive.
 */
export function checkContainerSpec(planned: ContainerSpec, changed: ContainerSpec, facts: ImageFacts): void {
  const changes = findWeakenings(planned, changed, facts);
  if (changes.length > 0) throw hookWeakens(planned.name, changes, facts.plugin);
}

type Rule = (planned: ContainerSpec, changed: ContainerSpec, facts: ImageFacts) => readonly string[];

export function findWeakenings(
  planned: ContainerSpec,
  changed: ContainerSpec,
  facts: ImageFacts,
): readonly string[] {
  return Object.values(RULES).flatMap((rule) =>
    typeof rule === 'function' ? rule(planned, changed, facts) : [],
  );
}

/** Rule for a field that plugins may change freely. `opensNothing` is the reason why this is safe. */
type Free = { readonly opensNothing: string };

const INSIDE: Free = {
  opensNothing: 'It changes what runs inside the container, not what the container reaches.',
};

/** Rules by field of the spec. A field without a rule does not compile. */
const RULES: { readonly [Field in keyof Required<ContainerSpec>]: Rule | Free } = {
  // The supervisor finds a container by its name, and only the planned image was verified.
  name: (planned, changed) => (changed.name === planned.name ? [] : [`name: changed to ${changed.name}`]),
  image: (planned, changed) =>
    changed.image === planned.image ? [] : [`image: changed to ${changed.image}, which was not verified`],
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

export function listJudgedFields(): ReadonlyMap<string, boolean> {
  return new Map(Object.entries(RULES).map(([field, rule]) => [field, typeof rule === 'function']));
}

/** Maximum total size, in bytes, of the logs that a plugin may let the engine keep. */
const MAX_LOG_BYTES = 100 * 1024 * 1024;

/** Rejects larger logs than `MAX_LOG_BYTES`, because the engine stores logs on the disk of the host. */
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

/** Normalizes the name of a capability. Engines accept any case, with and without the prefix. */
function capability(name: string): string {
  return name.toUpperCase().replace(/^CAP_/, '');
}

/** Rejects user names, which may map to root in the image, and the number 0. */
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

/**
 * Accepts the removal of the network, and other name servers, because neither opens a way around the gateway.
 * Rejects every other change.
 */
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

/**
 * Rejects new bind mounts and volumes, read-only mounts made writable, executable tmpfs mounts, and the
 * removal of mounts that hide paths.
 */
function checkMounts(
  { mounts: planned = [] }: ContainerSpec,
  { mounts = [] }: ContainerSpec,
): readonly string[] {
  const added = mounts.flatMap((mount) => {
    const before = planned.find((one) => one.target === mount.target && one.type === mount.type);
    if (mount.type === 'tmpfs') {
      const opens = mount.executable === true && !(before?.type === 'tmpfs' && before.executable === true);
      return opens ? [`mounts: ${mount.target} allows programs to be started`] : [];
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

function hides(mount: ContainerMount, mounts: readonly ContainerMount[]): boolean {
  return mounts.some((other) => other !== mount && isBelow(mount.target, other.target));
}

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
    // A limit without a value is safe: the runtime then applies its own limit, and the planned limit is never
    // above that.
    if (now === undefined || now === before) return [];
    if (!(Number.isFinite(now) && now > 0)) return [`limits.${name}: removed`];
    return before !== undefined && now > before ? [`limits.${name}: raised from ${before} to ${now}`] : [];
  });
}

function checkLabels(planned: ContainerSpec, changed: ContainerSpec): readonly string[] {
  const names = new Set([...Object.keys(planned.labels), ...Object.keys(changed.labels)]);
  const ours = [...names].filter((name) => name.toLowerCase().startsWith(LABEL_PREFIX));
  const differing = ours.filter((name) => planned.labels[name] !== changed.labels[name]);
  return differing.map((name) => `labels: changed ${name}`);
}
