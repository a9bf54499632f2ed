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
 * Returns the context for a kind's `create` and `check`: a recording logger, the real clock and fetch, no proxy, only the
 * variable `PATH`, and the working directory. Its hooks throw on `tap`, because only a plugin's `apply` may
 * tap them.
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
  // The proxy returns a fitting object for every hook.
  return hooks as TappableHooks;
}

/**
 * Returns the context for proxy middleware in a test: that of `createTestContext`, with a workload
 * `test-workload` on standard input and output, whose folder is temporary, and without secrets.
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
 * Returns the context for outgoing credentials in a test: that of `createTestContext`, for
 * `https://mcp.acme.example/mcp`, without secrets and without a login.
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
