import { isJsonObject } from '@portolan/plugin-api';
import type { ContainerSpec } from '@portolan/plugin-api';
import type { FaultOf } from './tap-results.ts';

interface Shape {
  readonly expected: string;
  readonly fits: (value: unknown) => boolean;
}

const text: Shape = { expected: 'a text', fits: isText };
const flag: Shape = { expected: 'true or false', fits: isFlag };
const texts: Shape = {
  expected: 'a list of texts',
  fits: (value) => Array.isArray(value) && value.every(isText),
};
const textMap: Shape = {
  expected: 'a map of texts',
  fits: (value) => isJsonObject(value) && Object.values(value).every(isText),
};

/** All fields of a container spec. Any other field is a fault, because every runtime would ignore it. */
const FIELDS: Readonly<Record<keyof ContainerSpec, Shape>> = {
  name: text,
  image: text,
  command: texts,
  environment: textMap,
  labels: textMap,
  entrypoint: texts,
  user: text,
  workingDirectory: text,
  mounts: { expected: 'a list of mounts', fits: (value) => isListOf(value, isMount) },
  network: { expected: 'a network', fits: isNetwork },
  ports: { expected: 'a list of ports', fits: (value) => isListOf(value, isPort) },
  stdin: oneOf('closed', 'once', 'open'),
  capabilities: texts,
  privileged: flag,
  allowNewPrivileges: flag,
  writableRoot: flag,
  seccompProfile: text,
  limits: { expected: 'a map of limits', fits: isLimits },
  init: flag,
  logs: { expected: '"none" or a map with maxBytes and files', fits: isLogs },
  stopGraceMs: { expected: 'a time in milliseconds', fits: (value) => isNumber(value) && value >= 0 },
};

const REQUIRED: readonly (keyof ContainerSpec)[] = ['name', 'image', 'command', 'environment', 'labels'];

const SHAPES: ReadonlyMap<string, Shape> = new Map(Object.entries(FIELDS));

/**
 * Finds missing, unknown and mistyped fields of a container spec. Whether the spec weakens isolation is
 * checked by the runtime.
 */
export const faultOfContainerSpec: FaultOf = (result) => {
  if (!isJsonObject(result))
    return 'it answered with something that is no map; it has to return the container spec';
  for (const field of REQUIRED) {
    if (result[field] === undefined) return `the container spec in its answer has no ${field}`;
  }
  for (const [field, value] of Object.entries(result)) {
    const shape = SHAPES.get(field);
    if (shape === undefined)
      return `the container spec in its answer has "${field}", which is no field of one`;
    if (value !== undefined && !shape.fits(value)) {
      return `${field} in its answer is not ${shape.expected}`;
    }
  }
  return undefined;
};

function isMount(mount: Readonly<Record<string, unknown>>): boolean {
  const { type, source, target, readOnly, sizeBytes, mode, executable } = mount;
  if (!isText(target) || !areOptional(isFlag, readOnly, executable)) return false;
  if (type === 'bind') {
    return isText(source) && isFlag(readOnly) && hasOnly(mount, 'type', 'source', 'target', 'readOnly');
  }
  if (type === 'volume') {
    const { name, labels } = mount;
    const isWhole = isText(name) && isFlag(readOnly) && (labels === undefined || isJsonObject(labels));
    return isWhole && hasOnly(mount, 'type', 'name', 'target', 'readOnly', 'labels');
  }
  const isTmpfs = type === 'tmpfs' && areOptional(isNumber, sizeBytes, mode);
  return isTmpfs && hasOnly(mount, 'type', 'target', 'sizeBytes', 'mode', 'readOnly', 'executable');
}

function isNetwork(network: unknown): boolean {
  if (!isJsonObject(network)) return false;
  const { mode, name, container, dns } = network;
  if (mode === 'joined') return isText(container) && hasOnly(network, 'mode', 'container');
  if (!(dns === undefined || texts.fits(dns))) return false;
  if (mode === 'named') return isText(name) && hasOnly(network, 'mode', 'name', 'dns');
  return ['bridge', 'none', 'host'].includes(String(mode)) && hasOnly(network, 'mode', 'dns');
}

function isPort(port: Readonly<Record<string, unknown>>): boolean {
  const { containerPort, hostPort, hostAddress, protocol } = port;
  return (
    isCount(containerPort) &&
    areOptional(isCount, hostPort) &&
    isText(hostAddress) &&
    (protocol === undefined || protocol === 'tcp' || protocol === 'udp') &&
    hasOnly(port, 'containerPort', 'hostPort', 'hostAddress', 'protocol')
  );
}

function isLimits(limits: unknown): boolean {
  return (
    isJsonObject(limits) &&
    areOptional(isCount, ...Object.values(limits)) &&
    hasOnly(limits, 'memoryBytes', 'cpus', 'processes', 'openFiles')
  );
}

function isLogs(logs: unknown): boolean {
  if (logs === 'none') return true;
  return (
    isJsonObject(logs) &&
    isCount(logs['maxBytes']) &&
    isCount(logs['files']) &&
    hasOnly(logs, 'maxBytes', 'files')
  );
}

function oneOf(...choices: readonly string[]): Shape {
  return {
    expected: `one of ${choices.join(', ')}`,
    fits: (value) => isText(value) && choices.includes(value),
  };
}

function isListOf(value: unknown, fits: (item: Readonly<Record<string, unknown>>) => boolean): boolean {
  return Array.isArray(value) && value.every((item: unknown) => isJsonObject(item) && fits(item));
}

function areOptional(fits: (value: unknown) => boolean, ...values: readonly unknown[]): boolean {
  return values.every((value) => value === undefined || fits(value));
}

function hasOnly(map: Readonly<Record<string, unknown>>, ...keys: readonly string[]): boolean {
  return Object.keys(map).every((key) => keys.includes(key));
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}

function isFlag(value: unknown): value is boolean {
  return typeof value === 'boolean';
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function isCount(value: unknown): boolean {
  return isNumber(value) && value > 0;
}
