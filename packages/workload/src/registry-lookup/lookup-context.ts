import type { WorkloadContext } from '../workload-context.ts';

/** What looking something up in a registry takes from its surroundings. No engine is asked. */
export type LookupContext = Pick<
  WorkloadContext,
  'clock' | 'directories' | 'environment' | 'logger' | 'openFetch' | 'user' | 'version' | 'workingDirectory'
>;
