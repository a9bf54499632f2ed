import { findAnyRoute, openFetch } from '@portolan/outbound';
import type { PluginContext, TappableHooks } from '@portolan/plugin-api';
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
    fetch: globalThis.fetch,
    openFetch,
    findRoute: findAnyRoute({}),
    environment: { PATH: process.env['PATH'] },
    directory: process.cwd(),
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
