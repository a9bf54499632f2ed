import type { ContainerEngine, Runtime } from '@portolan/plugin-api';

/** Returns a runtime over an engine, which the caller closes. */
export function runtimeOfEngine(engine: ContainerEngine): Runtime {
  return { runs: 'containers', engine, close: () => Promise.resolve() };
}

export function engineOf(runtime: Runtime): ContainerEngine {
  if (runtime.runs === 'containers') return runtime.engine;
  throw new TypeError('this runtime has no engine, because it hosts workloads itself');
}
