import type { RegistryReader } from '@portolan/registry';
import { policyOf, type RequestContext } from '../request/request-state.ts';

/** Returns names of registries whose gate the caller passes, in catalog order. */
export async function openRegistries(
  ctx: RequestContext,
  reader: Pick<RegistryReader, 'catalog'>,
): Promise<readonly string[]> {
  const { registries } = await reader.catalog();
  const policy = policyOf(ctx);
  return [...registries.values()]
    .filter((registry) => policy.decideRegistryAccess(ctx.state.caller, registry).allowed)
    .map(({ name }) => name);
}
