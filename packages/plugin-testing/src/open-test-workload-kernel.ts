import type { PluginObject, WorkloadKernel, WorkloadKernelOptions } from '@portolan/kernel';
import { openWorkloadKernel } from '@portolan/kernel/workload';
import type { Plugin } from '@portolan/plugin-api';

export interface TestWorkloadKernelOptions
  extends Pick<
    WorkloadKernelOptions,
    'logger' | 'logDestination' | 'debug' | 'clock' | 'nowMs' | 'fetch' | 'signal' | 'secrets' | 'builtIn'
  > {
  /** Plugins under test; with `{ plugin, options, override }` when they need options. */
  readonly plugins?: readonly (Plugin | PluginObject)[];
  /** Left out: an empty environment, not the one of the process. */
  readonly environment?: WorkloadKernelOptions['environment'];
  /** Folder that relative paths start from. Left out: the working directory. */
  readonly directory?: string;
}

/**
 * The kernel of workloads with the given plugins, from values only: no
 * configuration is looked for, and nothing of the process is read. Logs go nowhere
 * unless a logger or destination is given. Close it at the end of the test. Throws
 * what `openWorkloadKernel` throws.
 */
export async function openTestWorkloadKernel(
  options: TestWorkloadKernelOptions = {},
): Promise<WorkloadKernel> {
  const { plugins = [], environment = {}, directory = process.cwd(), ...rest } = options;
  return await openWorkloadKernel({
    logDestination: { write: () => true },
    ...rest,
    environment,
    directory,
    shipped: {},
    shippedFrom: import.meta.url,
    pluginObjects: plugins.map((given) => ('plugin' in given ? given : { plugin: given })),
  });
}
