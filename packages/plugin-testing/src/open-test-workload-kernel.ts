import type { PluginObject, WorkloadKernel, WorkloadKernelOptions } from '@portolan/kernel';
import { openWorkloadKernel } from '@portolan/kernel/workload';
import type { Plugin } from '@portolan/plugin-api';

export interface TestWorkloadKernelOptions
  extends Pick<
    WorkloadKernelOptions,
    'logger' | 'logDestination' | 'debug' | 'clock' | 'nowMs' | 'fetch' | 'signal' | 'secrets' | 'builtIn'
  > {
  readonly plugins?: readonly (Plugin | PluginObject)[];
  readonly environment?: WorkloadKernelOptions['environment'];
  readonly directory?: string;
}

/**
 * Opens the workload kernel with plugins from values only: it reads no configuration and nothing of the
 * process. Close it at the end of the test. Throws the errors of `openWorkloadKernel`.
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
    pluginObjects: plugins.map((input) => ('plugin' in input ? input : { plugin: input })),
  });
}
