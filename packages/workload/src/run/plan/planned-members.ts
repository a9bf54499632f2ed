import type { JsonObject } from '@portolan/plugin-api';

/** Tool of a member as its server lists it, or with a name only. */
export type ListedTool = JsonObject & { readonly name: string };

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
