import { findAnyRoute, openFetch } from '@portolan/outbound';
import {
  type OutgoingCredentialsContext,
  type PluginContext,
  PortolanError,
  type ProxyMiddlewareContext,
  type TappableHooks,
} from '@portolan/plugin-api';
import os from 'node:os';
import path from 'node:path';
import { createRecordingLogger } from './recording-logger.ts';

/**
 * What a kind's `create`, and its `check`, is handed in a test: a logger that keeps its lines, the
 * real clock, fetch and openFetch, routes without a proxy, no variables but `PATH`, the working
 * directory, and hooks that refuse to be tapped, since only a plugin's `apply` may do that. Pass
 * what differs.
 */
export function createTestContext(overrides: Partial<PluginContext> = {}): PluginContext {
  return {
    hooks: refusingHooks(),
    logger: createRecordingLogger(),
    clock: () => new Date(),
    nowMs: () => performance.now(),
    fetch: globalThis.fetch,
    openFetch,
    findRoute: findAnyRoute({}),
    environment: { PATH: process.env['PATH'] },
    directory: process.cwd(),
    trustsLoopback: true,
    ...overrides,
  };
}

function refuse(): never {
  throw new Error("an instance may not tap hooks; do it in the plugin's apply");
}

function refusingHooks(): TappableHooks {
  const hooks: object = new Proxy(
    {},
    { get: (_target, name) => ({ name: String(name), tap: refuse, tapPromise: refuse }) },
  );
  // Whichever hook is asked for, the proxy answers one of its shape.
  return hooks as TappableHooks;
}

/**
 * What the `create` of proxy middleware is handed in a test: the same, in front
 * of a workload `test-workload` on standard input and output that keeps its
 * folder below the temporary one, with no secrets. Pass what differs.
 */
export function createTestProxyContext(
  overrides: Partial<ProxyMiddlewareContext> = {},
): ProxyMiddlewareContext {
  return {
    ...createTestContext(overrides),
    workload: {
      name: 'test-workload',
      server: 'io.example/test-server',
      transport: 'stdio',
      isRemote: false,
      trustsProxyHeaders: false,
      directory: path.join(os.tmpdir(), `portolan-test-workload-${process.pid}`),
    },
    version: '0.0.0-test',
    secret: (reference) => {
      throw new PortolanError('ERR_SECRET_NOT_FOUND', 'absent', `The test has no secret ${reference}.`);
    },
    remark: () => undefined,
    ...overrides,
  };
}

/**
 * What the `create` of a kind of outgoing credentials is handed in a test: the
 * same, towards `https://mcp.acme.example/mcp`, with no secrets, and nobody logged
 * in. Pass what differs.
 */
export function createTestCredentialsContext(
  overrides: Partial<OutgoingCredentialsContext> = {},
): OutgoingCredentialsContext {
  return {
    ...createTestContext(overrides),
    server: { workload: 'test-workload', url: new URL('https://mcp.acme.example/mcp') },
    secret: (reference) => {
      throw new PortolanError('ERR_SECRET_NOT_FOUND', 'absent', `The test has no secret ${reference}.`);
    },
    changed: () => undefined,
    login: {
      isThere: false,
      handed: undefined,
      read: () => Promise.resolve(undefined),
      keep: () => Promise.resolve(),
      keepClient: () => Promise.resolve(),
      alone: async (work) => await work(),
      onChange: () => () => undefined,
      lacks: () => undefined,
      stepUp: undefined,
    },
    ...overrides,
  };
}
