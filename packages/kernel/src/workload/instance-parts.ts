import type {
  ContainerEngine,
  ProxyMiddleware,
  Runtime,
  Scheme,
  SessionStore,
  WorkloadHost,
} from '@portolan/plugin-api';
import { whatIsLacking } from '../kinds/create-instance.ts';

export const SESSION_STORE_PARTS: readonly (keyof SessionStore)[] = [
  'begin',
  'use',
  'agree',
  'end',
  'ask',
  'take',
  'close',
];

export const SCHEME_PARTS: readonly (keyof Scheme)[] = ['resolveVersion', 'planBuild', 'reachesHosts'];

/**
 * Returns which required function a runtime lacks. The type system cannot guarantee them, because plugins
 * need not be written in TypeScript.
 */
export function lackingOf(runtime: Runtime): string | undefined {
  const { runs }: { readonly runs: unknown } = runtime;
  if (runs !== 'containers' && runs !== 'workloads') {
    return 'a runtime whose "runs" is neither "containers" nor "workloads"';
  }
  const lacking =
    runtime.runs === 'containers'
      ? whatIsLacking(runtime.engine, ENGINE_PARTS)
      : whatIsLacking(runtime.host, HOST_PARTS);
  if (lacking === undefined) return undefined;
  return `a runtime whose "${runtime.runs === 'containers' ? 'engine' : 'host'}" is ${lacking}`;
}

/**
 * Returns what is wrong with a middleware: it must have at least one of the functions, and each one present
 * must be a function.
 */
export function lackingOfMiddleware(instance: ProxyMiddleware): string | undefined {
  const parts = MIDDLEWARE_PARTS.filter((part) => instance[part] !== undefined);
  const odd = parts.find((part) => typeof instance[part] !== 'function');
  if (odd !== undefined) return `something whose "${odd}" is no function`;
  const { servedPaths = [] }: { readonly servedPaths?: unknown } = instance;
  if (!Array.isArray(servedPaths)) return 'something whose "servedPaths" is no list';
  return parts.length === 0 && servedPaths.length === 0 ? 'something that does nothing' : undefined;
}

const MIDDLEWARE_PARTS = [
  'onRequest',
  'onMessage',
  'onResponse',
  'credentials',
  'onEnd',
] as const satisfies readonly (keyof ProxyMiddleware)[];

const ENGINE_PARTS: readonly (keyof ContainerEngine)[] = [
  'describe',
  'inspectImage',
  'provideImage',
  'importImage',
  'buildImage',
  'listImages',
  'removeImage',
  'createContainer',
  'attachContainer',
  'startContainer',
  'stopContainer',
  'removeContainer',
  'inspectContainer',
  'listContainers',
  'waitForExit',
  'readLogs',
  'listNetworks',
  'removeNetwork',
];

const HOST_PARTS: readonly (keyof WorkloadHost)[] = ['describe', 'open', 'listServers', 'removeServer'];
