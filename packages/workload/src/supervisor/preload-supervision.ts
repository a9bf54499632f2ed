import { authProviderOf, middlewareOf, type RunConfig } from '@portolan/run-spec';
import type { WorkloadContext } from '../workload-context.ts';
import { authGivenTo } from './open-auth-provider.ts';
import { givenTo } from './open-middleware.ts';

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

/**
 * Loads the policies that an order is expected to have: to check them takes most of what opening them does. Never rejects:
 * what is wrong with them is told to whoever gives the order, or when they are opened.
 */
export async function preloadPolicies(
  policies: RunConfig,
  { kinds }: Pick<WorkloadContext, 'kinds'>,
): Promise<void> {
  const { name } = policies;
  const auth = authProviderOf(policies);
  await Promise.allSettled([
    ...middlewareOf(policies).map((named) => kinds.checkProxyMiddleware(named.type, givenTo(named, name))),
    ...(auth === undefined ? [] : [kinds.checkAuthProvider(auth.type, authGivenTo(auth, name))]),
  ]);
}
