import { isDeepStrictEqual } from 'node:util';
import type { Tool } from '@modelcontextprotocol/client';

/** What became of the tools of a server, by name. */
export interface ToolChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** With another description, or other arguments. */
  readonly changed: readonly string[];
}

/** Compares the tools of two versions of a server. */
export function compareTools(before: readonly Tool[], after: readonly Tool[]): ToolChanges {
  const [old, now] = [byName(before), byName(after)];
  return {
    added: [...now.keys()].filter((name) => !old.has(name)).toSorted(),
    removed: [...old.keys()].filter((name) => !now.has(name)).toSorted(),
    changed: [...now]
      .filter(([name, tool]) => old.has(name) && !isSame(tool, old.get(name)))
      .map(([name]) => name)
      .toSorted(),
  };
}

/** As far as a list of names tells. */
export function compareToolNames(before: readonly Tool[], names: readonly string[]): ToolChanges {
  const old = new Set(before.map(({ name }) => name));
  return {
    added: names.filter((name) => !old.has(name)).toSorted(),
    removed: [...old].filter((name) => !names.includes(name)).toSorted(),
    changed: [],
  };
}

function byName(tools: readonly Tool[]): ReadonlyMap<string, Tool> {
  return new Map(tools.map((tool) => [tool.name, tool]));
}

function isSame(tool: Tool, other: Tool | undefined): boolean {
  return tool.description === other?.description && isDeepStrictEqual(tool.inputSchema, other?.inputSchema);
}
