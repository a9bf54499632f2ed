import type { Contents, LockedEntry, LockedItem, LockedServer, LockedWorkload } from '../file/lock-file.ts';
import {
  type ApprovedServer,
  type ApprovedValue,
  type Baseline,
  baselineOf,
  type CurrentDefinitions,
  type DefinitionFault,
  LISTS,
  takeBaseline,
} from './baseline.ts';
import { DefinitionComparer } from './compare-definitions.ts';
import type { ListKind } from './difference.ts';

/** Approval of definitions. */
export interface Approval {
  /** Date, such as `2026-11-29`. */
  readonly date: string;
  readonly by?: string | undefined;
}

/** Facts of a workload that no server sends. */
export interface WorkloadFacts {
  /** Target of the workload; see `sourceOf`. */
  readonly source: string;
  readonly entry?: LockedEntry | undefined;
  readonly profile?: string | undefined;
}

/** Part of a lock file about one workload, with the JSON behind its digests. */
export interface LockedDefinitions {
  readonly workload: LockedWorkload;
  readonly contents: Contents;
}

export interface LockRequest {
  readonly facts: WorkloadFacts;
  /** Whole lists, `server`, and what runs. Lists that the server does not have are undefined. */
  readonly current: CurrentDefinitions;
  readonly approval: Approval;
  /** Current part of the lock file. Approvals of unchanged definitions stay as they are. */
  readonly previous?: LockedDefinitions | undefined;
}

/**
 * Returns definitions as a lock file holds them: all of them approved, without removed items. Definitions that
 * have a fault are left out, so that they stay held. Undefined if the server's response is missing or has a fault.
 */
export function lockDefinitions({ facts, current, approval, previous }: LockRequest): {
  readonly locked: LockedDefinitions | undefined;
  readonly faults: readonly DefinitionFault[];
} {
  const { baseline, faults } = takeBaseline(current);
  if (baseline.server === undefined) return { locked: undefined, faults };
  const contents = new Map<string, string>();
  const lockList = (kind: ListKind): ReadonlyMap<string, LockedItem> => {
    const changed = findChanged(kind, current, previous);
    const items = [...(baseline[LISTS[kind]] ?? [])].map(([name, value]) => {
      const known = previous?.workload[LISTS[kind]].get(name);
      const item =
        known === undefined || changed.has(name)
          ? { digest: value.digest, approved: approval.date, by: approval.by }
          : known;
      addContent(contents, {
        digest: item.digest,
        json: item.digest === value.digest ? value.json : undefined,
      });
      return [name, item] as const;
    });
    return new Map(items);
  };
  const workload: LockedWorkload = {
    ...facts,
    resolved: current.resolved,
    signer: baseline.signer,
    server: lockServer(baseline.server, previous, contents),
    tools: lockList('tool'),
    prompts: lockList('prompt'),
    templates: lockList('template'),
  };
  for (const [digest, json] of previous?.contents ?? [])
    if (!contents.has(digest)) contents.set(digest, json);
  return { locked: { workload, contents }, faults };
}

/** Returns the names of items whose definition does not mean what was approved. */
function findChanged(
  kind: ListKind,
  current: CurrentDefinitions,
  previous: LockedDefinitions | undefined,
): ReadonlySet<string> {
  const list = current[LISTS[kind]];
  if (previous === undefined || list === undefined) return new Set();
  const approved: Baseline = baselineOf(previous.workload, previous.contents);
  const differences = new DefinitionComparer(approved).compareList(kind, list);
  return new Set(differences.filter((one) => one.class !== 'none').map(({ name }) => name));
}

function lockServer(
  server: ApprovedServer,
  previous: LockedDefinitions | undefined,
  contents: Map<string, string>,
): LockedServer {
  const { name, version, capabilities, instructions } = server;
  addContent(contents, capabilities);
  if (instructions !== undefined) addContent(contents, instructions);
  return {
    name,
    version,
    revisions: server.revisions ?? previous?.workload.server.revisions ?? [],
    capabilities: capabilities.digest,
    instructions: instructions?.digest,
  };
}

function addContent(contents: Map<string, string>, { digest, json }: ApprovedValue): void {
  if (json !== undefined) contents.set(digest, json);
}
