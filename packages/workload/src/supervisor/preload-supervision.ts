import type { WorkloadContext } from '../workload-context.ts';

/**
 * Loads what supervising a workload in a container needs, before it is known
 * which. Never rejects: what cannot be loaded is told to whoever needs it.
 */
export async function preloadSupervision({ kinds }: Pick<WorkloadContext, 'kinds'>): Promise<void> {
  await Promise.allSettled([
    import('./supervise-workload.ts'),
    import('./start-steps.ts'),
    kinds.openRuntime(),
  ]);
}
