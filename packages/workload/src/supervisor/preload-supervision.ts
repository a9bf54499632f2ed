import type { ContainerEngine } from '@portolan/plugin-api';
import { authProviderOf, middlewareOf, type NamedAuthProvider, type RunConfig } from '@portolan/run-spec';
import type { WorkloadContext } from '../workload-context.ts';
import { describeAhead } from './describe-engine.ts';
import { authGivenTo } from './open-auth-provider.ts';
import { givenTo } from './open-middleware.ts';

/** Of most servers; any other is loaded when it is known. */
const USUAL_TRANSPORT = 'stdio';

/** What of a context this needs, and of an engine. */
export interface PreloadContext {
  readonly kinds: {
    openRuntime(): Promise<
      | { readonly runs: 'containers'; readonly engine: Pick<ContainerEngine, 'describe'> }
      | { readonly runs: 'workloads' }
    >;
    openTransport(name: string): Promise<unknown>;
  };
}

/**
 * Loads what supervising a workload in a container needs, before it is known
 * which, and asks the engine what it is. Never rejects: what cannot be loaded is told to whoever needs it.
 */
export async function preloadSupervision({ kinds }: PreloadContext): Promise<void> {
  await Promise.allSettled([
    import('./supervise-workload.ts'),
    import('./start-steps.ts'),
    kinds.openTransport(USUAL_TRANSPORT),
    lookAtEngine({ kinds }),
  ]);
}

async function lookAtEngine({ kinds }: PreloadContext): Promise<void> {
  const runtime = await kinds.openRuntime();
  if (runtime.runs === 'containers') await describeAhead(runtime.engine);
}

/**
 * Checks the policies that an order is expected to have, which takes most of what opening them does. Gives what their
 * kinds tell of them; undefined where anything is wrong with them. Never rejects: what that is finds whoever gives
 * the order.
 */
export async function preloadPolicies(
  policies: RunConfig,
  { kinds }: Pick<WorkloadContext, 'kinds'>,
): Promise<readonly string[] | undefined> {
  const { name } = policies;
  const auth = authProviderOf(policies);
  const checks = await Promise.allSettled([
    ...middlewareOf(policies).map((named) => kinds.checkProxyMiddleware(named.type, givenTo(named, name))),
    ...(auth === undefined ? [] : [checkAuth(auth, name, kinds)]),
  ]);
  const told = checks.flatMap((check) => (check.status === 'fulfilled' ? [check.value] : []));
  return told.length === checks.length ? told.flat() : undefined;
}

async function checkAuth(
  auth: NamedAuthProvider,
  workload: string,
  kinds: WorkloadContext['kinds'],
): Promise<readonly string[]> {
  await kinds.checkAuthProvider(auth.type, authGivenTo(auth, workload));
  return [];
}
