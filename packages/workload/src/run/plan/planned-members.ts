import type { JsonObject } from '@portolan/plugin-api';
import type { RunPlan } from '../run-plan.ts';

/** Tool of a member as its server lists it, or with a name only. */
export type ListedTool = JsonObject & { readonly name: string };

/** Members of a virtual server, and what clients would see of them. */
export interface PlannedVirtualServer {
  readonly members: readonly PlannedMember[];
  /** Names of tools that are known now, in the order of the list that clients get. */
  readonly names: readonly PlannedName[];
  readonly conflicts: readonly PlannedConflict[];
  readonly list: PlannedList;
}

export interface PlannedMember {
  readonly name: string;
  readonly kind: 'workload' | 'run' | 'url';
  /** Name of the workload, target of `run`, or URL. */
  readonly target: string;
  /** What the target is now. */
  readonly resolved: string;
  /**
   * Where the names of tools are from: the running workload, the last list that its supervisor recorded, the
   * registry entry, or the members file, which may name only some of them.
   */
  readonly tools_from: 'workload' | 'record' | 'entry' | 'file' | undefined;
  /** Number of known tools that clients see; undefined while the list is unknown. */
  readonly tools: number | undefined;
  /** Plan of the member's own server; undefined for a workload, and for a member of a run config. */
  readonly plan: RunPlan | undefined;
}

export interface PlannedName {
  readonly name: string;
  readonly member: string;
  readonly own_name: string;
  /** Why clients do not see the name; undefined if they see it. */
  readonly hidden: string | undefined;
  /** Whether some clients refuse the name for its length. */
  readonly is_long: boolean;
}

export interface PlannedConflict {
  readonly name: string;
  /** The two tools as `MEMBER/NAME`. Both are hidden. */
  readonly tools: readonly [string, string];
  readonly resolution: string;
}

/** The list of tools that clients would get. */
export interface PlannedList {
  readonly tools: number;
  /** Size in tokens of the tools of running workloads: the length of the JSON, divided by four. */
  readonly tokens: number;
  /** Other members. Their tools, or the descriptions of these, are unknown; `tokens` does not count them. */
  readonly unknown: readonly string[];
  /** Whether clients get the tool search instead; undefined if that depends on unknown tools. */
  readonly has_search: boolean | undefined;
}
