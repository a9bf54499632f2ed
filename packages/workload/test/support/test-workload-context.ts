import path from 'node:path';
import { PortolanError, type ContainerEngine, type Transport } from '@portolan/plugin-api';
import { createRecordingLogger, runtimeOfEngine } from '@portolan/plugin-testing';
import { NO_USER_SETTINGS } from '@portolan/run-spec';
import { directoriesOf } from '../../src/state/directories.ts';
import { WorkloadStore } from '../../src/state/workload-store.ts';
import type { WorkloadContext } from '../../src/workload-context.ts';

export interface TestWorkloadContext extends WorkloadContext {
  /** Number of times that the engine was opened. */
  readonly opened: { runtimes: number };
}

/** Returns a context with its own folders. Its engine is unreachable unless one is given. */
export function testWorkloadContext(folder: string, runtime?: Partial<ContainerEngine>): TestWorkloadContext {
  const environment = {
    XDG_CONFIG_HOME: path.join(folder, 'config'),
    XDG_STATE_HOME: path.join(folder, 'state'),
    XDG_DATA_HOME: path.join(folder, 'data'),
    XDG_RUNTIME_DIR: folder,
  };
  const directories = directoriesOf({
    platform: 'linux',
    environment,
    home: folder,
    temporary: folder,
    userId: process.getuid?.(),
  });
  const clock = (): Date => new Date();
  const opened = { runtimes: 0 };
  return {
    opened,
    directories,
    environment,
    home: folder,
    workingDirectory: folder,
    store: new WorkloadStore({ directories, clock }),
    user: NO_USER_SETTINGS,
    kinds: {
      schemes: new Map([['npx', 'npm']]),
      transports: new Map([
        ['stdio', 'messages'],
        ['sse', 'http'],
        ['streamable-http', 'http'],
      ]),
      secretStores: [],
      openRuntime: () => {
        opened.runtimes += 1;
        // SAFETY: tests pass every function that the code under test calls.
        if (runtime !== undefined) return Promise.resolve(runtimeOfEngine(runtime as ContainerEngine));
        return Promise.reject(
          new PortolanError('ERR_RUNTIME_UNREACHABLE', 'unavailable', 'No engine answers.'),
        );
      },
      openTransport: (name) => Promise.resolve(tellingTransport(name)),
      openScheme: () => Promise.reject(new Error('no schemes here')),
      openSecretStore: () => Promise.reject(new Error('no secret stores here')),
      checkProxyMiddleware: () => Promise.reject(new Error('no proxy middleware here')),
      checkAuthProvider: () => Promise.reject(new Error('no auth provider here')),
      checkAuthProviderOnline: async () => await Promise.resolve([]),
      openAuthProvider: () => Promise.reject(new Error('no auth provider here')),
      openProxyMiddleware: () => Promise.reject(new Error('no proxy middleware here')),
      checkOutgoingCredentials: () => Promise.reject(new Error('no credentials here')),
      openOutgoingCredentials: () => Promise.reject(new Error('no credentials here')),
      checkSessionStore: () => Promise.reject(new Error('no session store here')),
      openSessionStore: () => Promise.reject(new Error('no session store here')),
      checkToolIndex: () => Promise.resolve(),
      openToolIndex: () => Promise.reject(new Error('no tool index here')),
    },
    hooks: {
      containerStart: (spec, { harden }) => Promise.resolve(harden(spec)),
      containerExit: () => Promise.resolve(),
    },
    logger: createRecordingLogger(),
    clock,
    openFetch: () => Promise.reject(new Error('nothing is fetched here')),
    lookUpHost: () => Promise.resolve([]),
    trustOnly: () => undefined,
    version: '0.0.0-test',
  };
}

/** Returns a transport that sets MCP_TRANSPORT in the container and does nothing else. */
function tellingTransport(name: string): Transport {
  return {
    carries: 'http',
    clientPath: '/mcp',
    prepareContainer: (spec) => ({ ...spec, environment: { MCP_TRANSPORT: name, ...spec.environment } }),
  };
}
