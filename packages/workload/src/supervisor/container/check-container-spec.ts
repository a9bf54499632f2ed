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
 * Sees that what plugins have made of a spec opens nothing more than what was
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
  return RULES.flatMap((rule) => rule(planned, changed, facts));
}

const RULES: readonly Rule[] = [
  /** It is found by its name, and its image is the one that was verified. */
  (planned, changed) => [
    ...(changed.name === planned.name ? [] : [`name: changed to ${changed.name}`]),
    ...(changed.image === planned.image ? [] : [`image: changed to ${changed.image}, which nobody verified`]),
  ],
  (planned, changed) => [
    ...opened('privileged', planned.privileged, changed.privileged),
    ...opened('allowNewPrivileges', planned.allowNewPrivileges, changed.allowNewPrivileges),
    ...opened('writableRoot', planned.writableRoot, changed.writableRoot),
  ],
  (planned, changed) => {
    const known = new Set(planned.capabilities?.map(capability));
    const added = (changed.capabilities ?? []).filter((one) => !known.has(capability(one)));
    return added.map((one) => `capabilities: added ${one}`);
  },
  (planned, changed) =>
    changed.seccompProfile === planned.seccompProfile ? [] : ['seccompProfile: replaced'],
  checkUser,
  checkNetwork,
  checkPorts,
  checkMounts,
  checkLimits,
  checkLabels,
];

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
    if (before?.type !== 'bind' || before.source !== mount.source) {
      return [`mounts: added ${mount.source} at ${mount.target}`];
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
