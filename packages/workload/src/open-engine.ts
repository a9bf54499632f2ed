import { type ContainerEngine, PortolanError } from '@portolan/plugin-api';
import type { WorkloadContext } from './workload-context.ts';

/**
 * Returns the container engine of the runtime. Throws ERR_RUNTIME_NO_ENGINE when the runtime has no engine;
 * `what`, such as `Packages are built`, begins the sentence of that error.
 */
export async function openEngine(
  { kinds }: Pick<WorkloadContext, 'kinds'>,
  what: string,
): Promise<ContainerEngine> {
  const runtime = await kinds.openRuntime();
  if (runtime.runs === 'containers') return runtime.engine;
  throw noEngine(what, (await runtime.host.describe()).name);
}

function noEngine(what: string, host: string): PortolanError {
  return new PortolanError(
    'ERR_RUNTIME_NO_ENGINE',
    'mistake',
    `${what} by a container engine, but the runtime ${host} has none.`,
    {
      hint: 'Run an image that the runtime can fetch, or choose a runtime with an engine (PORTOLAN_RUNTIME).',
    },
  );
}
