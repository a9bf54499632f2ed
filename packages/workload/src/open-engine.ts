import { type ContainerEngine, PortolanError } from '@portolan/plugin-api';
import type { WorkloadContext } from './workload-context.ts';

/**
 * The container engine of the runtime in use, for what only an engine can do.
 * Throws ERR_RUNTIME_NO_ENGINE for a runtime that runs workloads by itself;
 * `what` begins the sentence: `Packages are built`.
 */
export async function openEngine(
  { kinds }: Pick<WorkloadContext, 'kinds'>,
  what: string,
): Promise<ContainerEngine> {
  const runtime = await kinds.openRuntime();
  if (runtime.runs === 'containers') return runtime.engine;
  throw noEngine(what, (await runtime.host.describe()).name);
}

/** Something that needs an engine is asked of a runtime that runs workloads by itself. */
function noEngine(what: string, host: string): PortolanError {
  return new PortolanError(
    'ERR_RUNTIME_NO_ENGINE',
    'mistake',
    `${what} by a container engine, and ${host} is none: it runs workloads by itself.`,
    { hint: 'Name an image that it can fetch, or choose a runtime with an engine (PORTOLAN_RUNTIME).' },
  );
}
