import { parseResourceClaims } from '@portolan/authorization';
import { type Kernel, problemsOf } from '@portolan/kernel';
import { isPortolanError, type JsonObject } from '@portolan/plugin-api';
import type { SourceRoster, SourceToStore, SyncScheduler, Unusable } from '@portolan/registry';
import { type PlacedIssue, withIssues } from '../errors.ts';
import { sourceClaimsInvalid, sourceUnchecked } from './host-errors.ts';
import type { SourceMaking } from '../request/source-making.ts';

/**
 * Returns functions for sources from the API: the kernel checks their definitions, and the roster of this
 * process runs them.
 */
export function sourceMaking(
  kernel: Pick<Kernel, 'checkSource' | 'describeSourceKinds'>,
  roster: Pick<SourceRoster, 'refresh'>,
  scheduler: Pick<SyncScheduler, 'trigger'>,
): SourceMaking {
  return {
    kinds: () => kernel.describeSourceKinds(),
    check: async (name, body) => await checkDefinition(kernel, name, body),
    changed: () => void roster.refresh(), // it never throws
    due: (name) => scheduler.trigger(name),
  };
}

async function checkDefinition(
  kernel: Pick<Kernel, 'checkSource'>,
  name: string,
  body: JsonObject,
): Promise<SourceToStore | Unusable<Pick<SourceToStore, 'claims'>>> {
  const parsed = parseResourceClaims(body['claims'] ?? {});
  const checked = await kernel.checkSource(name, body).catch((error: unknown) => {
    // Any other error is about this server and may name its files, so callers do not see it.
    if (!isPortolanError(error) || error.code !== 'ERR_SOURCE_INVALID') throw sourceUnchecked(error);
    return { fault: withIssues(error, problemsOf(error).map(issueOf)) };
  });
  if ('fault' in checked) return 'claims' in parsed ? { ...checked, claims: parsed.claims } : checked;
  if ('problems' in parsed) {
    const issues = parsed.problems.map((message) => ({ path: 'claims', message }));
    return { fault: withIssues(sourceClaimsInvalid(parsed.problems), issues) };
  }
  const { kind, claimsFrom, block, filter, intervalMs, allowShrink, variants } = checked;
  const definition = {
    kind,
    claimsFrom,
    block,
    filter,
    intervalMs,
    claims: parsed.claims,
    ...(allowShrink === true ? { allowShrink } : {}),
  };
  return variants.length === 0 ? definition : { ...definition, variants };
}

function issueOf({ place, found, expected, didYouMean }: ReturnType<typeof problemsOf>[number]): PlacedIssue {
  const more = didYouMean === undefined ? '' : ` (did you mean "${didYouMean}"?)`;
  return { path: place === '(root)' ? '' : place, message: `Found ${found}; expected ${expected}${more}.` };
}
