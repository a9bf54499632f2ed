import { isPortolanError } from '@portolan/plugin-api';
import type Docker from 'dockerode';
import { engineFault } from './engine-fault.ts';
import type { EngineConnection } from './engine-connection.ts';
import type { ReachableEngine } from './find-engine.ts';

export interface EngineClient {
  readonly docker: Docker;
  readonly connection: EngineConnection;
  readonly address: string;
  readonly from: string;
  /** Whether the engine is Podman; undefined if its ping response does not show it. */
  readonly podman: boolean | undefined;
  /**
   * Runs one request. `action` completes the sentence "the engine refuses to …" in errors. Rejects with the
   * signal's reason as soon as it aborts. `translate` converts other errors; by default they become
   * ERR_RUNTIME_UNREACHABLE or ERR_RUNTIME_REFUSED.
   */
  call<T>(action: string, request: () => Promise<T>, options?: CallOptions): Promise<T>;
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  /**
   * Converts errors of this request; returns undefined for the default conversion. Not called for errors of
   * Portolan.
   */
  readonly translate?: (error: unknown) => Error | undefined;
}

/** Creates the client without contacting the engine. */
export async function createEngineClient(engine: ReachableEngine): Promise<EngineClient> {
  const { default: DockerClass } = await import('dockerode'); // loaded on first use: it is large
  const docker = new DockerClass(modemOptions(engine.connection));
  return {
    docker,
    ...engine,
    async call(action, request, { signal, translate } = {}) {
      signal?.throwIfAborted();
      try {
        return await abortable(request(), signal);
      } catch (error) {
        signal?.throwIfAborted();
        if (isPortolanError(error)) throw error;
        throw translate?.(error) ?? engineFault(engine, action, error);
      }
    },
  };
}

/** Sets every option, so that dockerode takes nothing from the environment. */
function modemOptions({ address, secure, options }: EngineConnection): Docker.DockerOptions {
  const { agent } = options;
  // dockerode passes options to node:http; its types declare only the agents of its own ssh.
  const shared = { agent: agent as unknown, protocol: secure ? 'https' : 'http', pathPrefix: '/' } as const;
  const none = { ca: undefined, cert: undefined, key: undefined, port: undefined, timeout: undefined };
  switch (address.over) {
    case 'socket':
      return { ...none, ...shared, host: undefined, socketPath: address.path };
    case 'ssh':
      return { ...none, ...shared, host: 'engine' };
    case 'tcp':
      return {
        ...none,
        ...shared,
        ...address.tls,
        host: address.host,
        port: address.port,
      };
    default:
      return address satisfies never;
  }
}

/** Races a promise against the signal. Ignores an error of the promise after the abort. */
export async function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return await promise;
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    if (signal.aborted) onAbort();
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
