import type { JsonObject } from '@portolan/plugin-api';

export const PREFIX = 'portolan.dev/';
export const OTHER_PREFIX = 'toolhive.stacklok.dev/';

/** Annotations of an object that is opted in, under one of the prefixes. */
export function exported(
  more: Readonly<Record<string, string>> = {},
  prefix = PREFIX,
): Record<string, string> {
  const all = {
    'registry-export': 'true',
    'registry-url': 'https://notes.acme.example/mcp',
    'registry-description': 'Keeps notes.',
    ...more,
  };
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [`${prefix}${name}`, value]));
}

export interface ObjectOptions {
  readonly namespace?: string;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec?: JsonObject;
}

/** A Service, with an address of its own in the cluster, which the server gives it. */
export function service(name: string, options: ObjectOptions = {}): JsonObject {
  return objectOf('v1', 'Service', name, { spec: { ports: [{ port: 80, protocol: 'TCP' }] }, ...options });
}

export function ingress(name: string, options: ObjectOptions = {}): JsonObject {
  const spec = { defaultBackend: { service: { name, port: { number: 80 } } } };
  return objectOf('networking.k8s.io/v1', 'Ingress', name, { spec, ...options });
}

export function httpRoute(name: string, options: ObjectOptions = {}): JsonObject {
  return objectOf('gateway.networking.k8s.io/v1', 'HTTPRoute', name, { spec: {}, ...options });
}

/** An object of the operator of the reference. */
export function custom(kind: string, name: string, options: ObjectOptions = {}): JsonObject {
  return objectOf('toolhive.stacklok.dev/v1beta1', kind, name, { spec: {}, ...options });
}

function objectOf(apiVersion: string, kind: string, name: string, options: ObjectOptions): JsonObject {
  const { namespace = 'team-a', annotations = exported(), labels = {}, spec = {} } = options;
  return { apiVersion, kind, metadata: { name, namespace, annotations, labels }, spec };
}
