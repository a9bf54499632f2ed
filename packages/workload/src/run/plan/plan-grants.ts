import { type ConsentRequest, findMissingGrants } from '../../consent/require-consent.ts';
import type { WorkloadContext } from '../../workload-context.ts';
import type { PlannedGrant } from '../run-plan.ts';

export async function planGrants(
  request: ConsentRequest | undefined,
  context: WorkloadContext,
): Promise<readonly PlannedGrant[]> {
  if (request === undefined) return [];
  const missing = new Set((await findMissingGrants(request, context)).map(({ line }) => line));
  const { author } = request.asker;
  return request.demands.grants.map((grant) => ({ ...grant, author, accepted: !missing.has(grant.line) }));
}
