import { parseResourceClaims } from '@portolan/authorization';
import type { Kernel } from '@portolan/kernel';
import { isPortolanError, type JsonObject } from '@portolan/plugin-api';
import type { SourceRoster, SourceToStore, SyncScheduler } from '@portolan/registry';
import { sourceClaimsInvalid, sourceUnchecked } from '../errors.ts';
import type { SourceMaking } from '../request/source-making.ts';

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
): Promise<SourceToStore> {
  const checked = await kernel.checkSource(name, body).catch((error: unknown) => {
    // What else the kernel says is about this server, and may name its files.
    throw isPortolanError(error) && error.code === 'ERR_SOURCE_INVALID' ? error : sourceUnchecked(error);
  });
  const { kind, claimsFrom, block, filter, intervalMs, claims, variants } = checked;
  const parsed = parseResourceClaims(claims);
  if ('problems' in parsed) throw sourceClaimsInvalid(parsed.problems);
  const definition = { kind, claimsFrom, block, filter, intervalMs, claims: parsed.claims };
  return variants.length === 0 ? definition : { ...definition, variants };
}
