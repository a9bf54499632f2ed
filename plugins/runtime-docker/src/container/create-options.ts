import type { ContainerMount, ContainerNetwork, ContainerSpec } from '@portolan/plugin-api';
import type { ContainerCreateOptions, HostConfig } from 'dockerode';
import type { HostLimits } from '../engine/host-limits.ts';
import { specImpossible } from '../errors.ts';

export interface EngineTraits {
  readonly podman: boolean;
  readonly processors: number;
  /**
   * The machine's limits per user. Without them, Podman would request more than the user may have, and start
   * nothing.
   */
  readonly hostLimits: HostLimits;
}

/** Limits for fields that a spec omits. */
export interface DefaultLimits {
  readonly memoryBytes: number;
  readonly cpus: number;
  readonly processes: number;
  readonly openFiles: number;
}

const SCRATCH = '/tmp';
const DEFAULT_MODE = 0o1777;
const NANO = 1e9;
const SMALLEST_SHARE = 0.01;
const RESERVED_NETWORKS: ReadonlySet<string> = new Set(['host', 'none']);

/**
 * Returns the body of the engine's create call. Omitted fields are restrictive: no capabilities, no new
 * privileges, a read-only root with an empty `/tmp`, resource limits, no ports, no standard input, no restart
 * by the engine, and no health check of the image. Throws ERR_CONTAINER_SPEC.
 */
export function createOptions(
  spec: ContainerSpec,
  traits: EngineTraits,
  limits: DefaultLimits,
): ContainerCreateOptions {
  checkNetwork(spec);
  const stdin = spec.stdin ?? 'closed';
  return {
    name: spec.name,
    Image: spec.image,
    ...(spec.command.length > 0 ? { Cmd: [...spec.command] } : {}),
    // A list with one empty text removes the image's entry point; an empty list would keep it.
    ...(spec.entrypoint ? { Entrypoint: spec.entrypoint.length > 0 ? [...spec.entrypoint] : [''] } : {}),
    Env: Object.entries(spec.environment).map(([name, value]) => `${name}=${value}`),
    Labels: { ...spec.labels },
    ...(spec.user === undefined ? {} : { User: spec.user }),
    ...(spec.workingDirectory === undefined ? {} : { WorkingDir: spec.workingDirectory }),
    Tty: false,
    OpenStdin: stdin !== 'closed',
    StdinOnce: stdin === 'once',
    AttachStdin: stdin !== 'closed',
    AttachStdout: true,
    AttachStderr: true,
    Healthcheck: { Test: ['NONE'] },
    ...(spec.stopGraceMs === undefined ? {} : { StopTimeout: Math.ceil(spec.stopGraceMs / 1000) }),
    ExposedPorts: Object.fromEntries((spec.ports ?? []).map((port) => [portKey(port), {}])),
    HostConfig: hostConfig(spec, traits, limits),
  };
}

function hostConfig(spec: ContainerSpec, traits: EngineTraits, limits: DefaultLimits): HostConfig {
  const root = spec.writableRoot === true;
  return {
    ...privileges(spec, traits),
    ...limitsOf(spec, traits, limits),
    ReadonlyRootfs: !root,
    Init: spec.init ?? true,
    RestartPolicy: { Name: 'no' },
    AutoRemove: false,
    ...networkOf(spec.network),
    PortBindings: portBindings(spec),
    Mounts: (spec.mounts ?? []).flatMap((mount) => {
      if (mount.type === 'tmpfs') return [];
      const { type: Type, target: Target, readOnly: ReadOnly } = mount;
      return [{ Type, Source: mount.type === 'bind' ? mount.source : mount.name, Target, ReadOnly }];
    }),
    Tmpfs: tmpfsOf(spec, traits, root),
    LogConfig: logConfig(spec, traits),
  };
}

function privileges(spec: ContainerSpec, traits: EngineTraits): HostConfig {
  const options: string[] = [];
  if (spec.allowNewPrivileges !== true) options.push('no-new-privileges');
  // Disables SELinux labels, which would deny the container access to mounted host files.
  if (spec.mounts?.some((mount) => mount.type === 'bind')) options.push('label=disable');
  if (spec.seccompProfile !== undefined) {
    if (traits.podman) throw specImpossible(spec.name, 'Podman takes no seccomp profile through its API');
    options.push(`seccomp=${spec.seccompProfile}`);
  }
  if (spec.privileged === true) return { Privileged: true, SecurityOpt: options };
  return {
    Privileged: false,
    CapDrop: ['ALL'],
    CapAdd: [...(spec.capabilities ?? [])],
    SecurityOpt: options,
  };
}

function limitsOf(spec: ContainerSpec, traits: EngineTraits, defaults: DefaultLimits): HostConfig {
  const { memoryBytes, cpus, processes, openFiles } = { ...defaults, ...spec.limits };
  return {
    Memory: memoryBytes,
    MemorySwap: memoryBytes, // memory plus swap: no swap
    NanoCpus: Math.round(Math.max(Math.min(cpus, traits.processors), SMALLEST_SHARE) * NANO),
    PidsLimit: processes,
    Ulimits: ulimits(openFiles, traits),
  };
}

function ulimits(openFiles: number, { podman, hostLimits }: EngineTraits): HostConfig['Ulimits'] {
  const limit = (name: string, most: number): { Name: string; Soft: number; Hard: number } => {
    return { Name: name, Soft: most, Hard: most };
  };
  const cores = limit('core', 0); // a core dump would write a server's memory to a file
  if (!podman) return [limit('nofile', openFiles), cores];
  const files = limit('nofile', Math.min(openFiles, hostLimits.openFiles ?? openFiles));
  return [
    files,
    cores,
    ...(hostLimits.processes === undefined ? [] : [limit('nproc', hostLimits.processes)]),
  ];
}

function checkNetwork(spec: ContainerSpec): void {
  const { network, ports = [] } = spec;
  if (network === undefined || network.mode === 'bridge') return;
  if (network.mode === 'named') {
    if (!/^[a-zA-Z0-9][\w.-]*$/.test(network.name) || RESERVED_NETWORKS.has(network.name)) {
      throw specImpossible(spec.name, `"${network.name}" is not a network name`);
    }
    return;
  }
  if (ports.length > 0) {
    throw specImpossible(spec.name, `a port cannot be published with the network mode "${network.mode}"`);
  }
}

function networkOf(network: ContainerNetwork | undefined): HostConfig {
  if (network === undefined) return { NetworkMode: 'default' };
  switch (network.mode) {
    case 'joined':
      return { NetworkMode: `container:${network.container}` };
    case 'named':
      return { NetworkMode: network.name, ...dnsOf(network.dns) };
    case 'bridge':
      return { NetworkMode: 'default', ...dnsOf(network.dns) };
    case 'none':
    case 'host':
      return { NetworkMode: network.mode, ...dnsOf(network.dns) };
    default:
      return network satisfies never;
  }
}

function dnsOf(dns: readonly string[] | undefined): HostConfig {
  return dns === undefined ? {} : { Dns: [...dns], DnsSearch: ['.'] };
}

function portKey(port: { readonly containerPort: number; readonly protocol?: 'tcp' | 'udp' }): string {
  return `${port.containerPort}/${port.protocol ?? 'tcp'}`;
}

function portBindings(spec: ContainerSpec): Record<string, { HostIp: string; HostPort: string }[]> {
  const bindings: Record<string, { HostIp: string; HostPort: string }[]> = {};
  for (const port of spec.ports ?? []) {
    const binding = {
      HostIp: port.hostAddress,
      HostPort: port.hostPort === undefined ? '' : String(port.hostPort),
    };
    (bindings[portKey(port)] ??= []).push(binding);
  }
  return bindings;
}

type TmpfsMount = Extract<ContainerMount, { readonly type: 'tmpfs' }>;

function tmpfsOf(spec: ContainerSpec, traits: EngineTraits, writableRoot: boolean): Record<string, string> {
  const mounts = spec.mounts ?? [];
  const tmpfs = mounts.filter((mount) => mount.type === 'tmpfs');
  if (!writableRoot && !mounts.some((mount) => mount.target === SCRATCH)) {
    tmpfs.push({ type: 'tmpfs', target: SCRATCH });
  }
  return Object.fromEntries(tmpfs.map((mount) => [mount.target, tmpfsOptions(mount, spec.user, traits)]));
}

function tmpfsOptions(mount: TmpfsMount, user: string | undefined, { podman }: EngineTraits): string {
  const owner = /^(\d+):(\d+)$/.exec(user ?? '');
  return [
    mount.readOnly === true ? 'ro' : 'rw',
    'nosuid',
    'nodev',
    mount.executable === true ? 'exec' : 'noexec',
    `mode=${(mount.mode ?? DEFAULT_MODE).toString(8)}`,
    ...(mount.sizeBytes === undefined ? [] : [`size=${mount.sizeBytes}`]),
    // Docker gives the tmpfs the mode of the folder below it, and its owner can write to it. Podman rejects
    // the owner options.
    ...(podman || owner === null ? [] : [`uid=${owner[1]}`, `gid=${owner[2]}`]),
    // Podman would copy files of the image at this path into the tmpfs. Docker never does, and rejects the
    // option.
    ...(podman ? ['notmpcopyup'] : []),
  ].join(',');
}

function logConfig({ logs = 'none' }: ContainerSpec, { podman }: EngineTraits): HostConfig['LogConfig'] {
  if (logs === 'none') return { Type: 'none', Config: {} };
  const size = { 'max-size': String(logs.maxBytes) };
  if (podman) return { Type: 'k8s-file', Config: size };
  return { Type: 'json-file', Config: { ...size, 'max-file': String(logs.files) } };
}
