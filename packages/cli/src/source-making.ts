import { parseResourceClaims } from '@portolan/authorization';
import type { Kernel } from '@portolan/kernel';
import type { JsonObject } from '@portolan/plugin-api';
import type { SourceDefinition, SourceRoster, SyncScheduler } from '@portolan/registry';
import type { SourceMaking } from '@portolan/registry-server';
import { sourceClaimsInvalid } from './errors.ts';

/** How sources are made through the API: by the kernel's rules, and kept by this process's roster. */
export function sourceMaking(
  kernel: Pick<Kernel, 'checkSource'>,
  roster: Pick<SourceRoster, 'refresh'>,
  scheduler: Pick<SyncScheduler, 'trigger'>,
): SourceMaking {
  return {
    check: async (name, body) => await checkDefinition(kernel, name, body),
    changed: () => void roster.refresh(), // it never throws
    due: (name) => scheduler.trigger(name),
  };
}

async function checkDefinition(
  kernel: Pick<Kernel, 'checkSource'>,
  name: string,
  body: JsonObject,
): Promise<SourceDefinition> {
  const { kind, claimsFrom, block, filter, intervalMs, claims } = await kernel.checkSource(name, body);
  const parsed = parseResourceClaims(claims);
  if ('problems' in parsed) throw sourceClaimsInvalid(parsed.problems);
  return { kind, claimsFrom, block, filter, intervalMs, claims: parsed.claims };
}
