import type { LockedItem, LockedWorkload } from '../file/lock-file.ts';
import { compareDefinitions } from './compare-definitions.ts';
import { baselineOf, type DefinitionFault, LISTS } from './baseline.ts';
import { type Difference, LIST_KINDS, type ListKind } from './difference.ts';
import { lockDefinitions, type LockedDefinitions, type LockRequest } from './lock-definitions.ts';

export interface ApprovalRequest extends LockRequest {
  readonly previous: LockedDefinitions;
  /** Returns whether a difference is approved. The others stay as the lock file has them. */
  readonly isApproved: (difference: Difference) => boolean;
}

/**
 * Returns the lock after the approval of some differences. If a removal is approved, the item leaves the lock.
 * Definitions with a fault stay as the lock has them.
 */
export function approveDefinitions({ isApproved, ...request }: ApprovalRequest): {
  readonly locked: LockedDefinitions;
  readonly faults: readonly DefinitionFault[];
} {
  const { previous, current } = request;
  const { locked: full, faults } = lockDefinitions(request);
  if (full === undefined) return { locked: previous, faults };
  const baseline = baselineOf(previous.workload, previous.contents);
  const differences = compareDefinitions(baseline, current, { reportRemoved: true });
  const refused = differences.filter((one) => one.change === 'unreadable' || !isApproved(one));
  const isRefused = (kind: Difference['kind']): boolean => refused.some((one) => one.kind === kind);
  const [before, now] = [previous.workload, full.workload];
  const ofImage = isRefused('package') || isRefused('image');
  const workload: LockedWorkload = {
    ...now,
    ...(ofImage ? { source: before.source, entry: before.entry } : {}),
    resolved: ofImage ? before.resolved : now.resolved,
    signer: isRefused('signer') ? before.signer : now.signer,
    server: {
      ...(isRefused('server') ? before.server : now.server),
      capabilities: isRefused('capabilities') ? before.server.capabilities : now.server.capabilities,
      instructions: isRefused('instructions') ? before.server.instructions : now.server.instructions,
    },
    ...mergeLists(before, now, refused),
  };
  return { locked: { workload, contents: full.contents }, faults };
}

function mergeLists(
  before: LockedWorkload,
  now: LockedWorkload,
  refused: readonly Difference[],
): Pick<LockedWorkload, 'tools' | 'prompts' | 'templates'> {
  const merge = (kind: ListKind): ReadonlyMap<string, LockedItem> => {
    const [old, items] = [before[LISTS[kind]], new Map(now[LISTS[kind]])];
    for (const { name } of refused.filter((one) => one.kind === kind)) {
      const item = old.get(name);
      if (item === undefined) items.delete(name);
      else items.set(name, item);
    }
    return items;
  };
  return { tools: merge('tool'), prompts: merge('prompt'), templates: merge('template') };
}

/**
 * Returns a lock without the named items, which are then held as new ones. Without names, removes all items. Returns
 * undefined if a name is not in the lock.
 */
export function revokeItems(
  workload: LockedWorkload,
  names: readonly string[] | undefined,
): LockedWorkload | undefined {
  const lists = LIST_KINDS.map((kind) => workload[LISTS[kind]]);
  if (names?.some((name) => !lists.some((items) => items.has(name))) === true) return undefined;
  const [tools = new Map(), prompts = new Map(), templates = new Map()] = lists.map(
    (items) => new Map([...items].filter(([name]) => names !== undefined && !names.includes(name))),
  );
  return { ...workload, tools, prompts, templates };
}
