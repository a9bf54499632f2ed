import type { AuthProvider, KindProblem } from '@portolan/plugin-api';
import { authProviderOf, type RunConfig, unusableSetting } from '@portolan/run-spec';
import { authGivenTo } from './policies/open-auth-provider.ts';
import type { WorkloadContext } from '../workload-context.ts';

/** Timeout for the metadata of an issuer, in milliseconds. A slower issuer counts as unreachable. */
const MAX_METADATA_MS = 10_000;

/**
 * Returns a problem in an issuer's metadata that makes every token invalid, such as metadata with a
 * placeholder instead of a tenant. Returns undefined when the issuer is unreachable.
 */
export async function findIssuerProblem(
  config: RunConfig,
  { kinds }: Pick<WorkloadContext, 'kinds'>,
  signal: AbortSignal,
): Promise<KindProblem | undefined> {
  const named = authProviderOf(config);
  if (named?.type !== 'oauth') return undefined;
  const limit = AbortSignal.any([signal, AbortSignal.timeout(MAX_METADATA_MS)]);
  const [problem] = await kinds.checkAuthProviderOnline(named.type, authGivenTo(named, config.name), limit);
  return problem;
}

/**
 * Returns the same problem as `findIssuerProblem`, found by an auth provider that is already open. The
 * metadata is then requested only once.
 */
export async function findProblemOf(
  provider: Pick<AuthProvider, 'checkOnline'>,
  signal: AbortSignal,
): Promise<KindProblem | undefined> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(MAX_METADATA_MS)]);
  return (await provider.checkOnline?.(limit))?.[0];
}

export function refuseIssuer(problem: KindProblem | undefined): void {
  if (problem !== undefined) throw unusableSetting('--oidc-issuer', problem.found, problem.expected);
}
