import { isDeepStrictEqual } from 'node:util';
import type { Tool } from '@modelcontextprotocol/client';

export interface ToolChanges {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** Tools with another description or other arguments. */
  readonly changed: readonly string[];
}

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

/** Compares tools with a list of names, which cannot show changed tools. */
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
