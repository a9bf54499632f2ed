import type { ContainerEngine, Runtime } from '@portolan/plugin-api';

/** A runtime of an engine that somebody else closes, or that needs no closing. */
export function runtimeOfEngine(engine: ContainerEngine): Runtime {
  return { runs: 'containers', engine, close: () => Promise.resolve() };
}

/** The engine of a runtime that has one; for a test, anything else is a mistake. */
export function engineOf(runtime: Runtime): ContainerEngine {
  if (runtime.runs === 'containers') return runtime.engine;
  throw new TypeError('this runtime runs workloads by itself, and has no engine');
}
