import { PortolanError } from '@portolan/plugin-api';
import { quote } from '../parse/text-faults.ts';
import type { ToolOverride } from '../run-config/parts.ts';

export interface NamedTools {
  /** Names of tools as clients see them. */
  readonly filter: readonly string[];
  /** Overrides by the server's own names of tools. */
  readonly override: Readonly<Record<string, ToolOverride>>;
}

const FLAGS = { filter: '--tools', override: '--tools-override' } as const;

/**
 * Checks tool names in flags against the tools that the registry entry lists. A filter uses the names after
 * renaming. `places` says where each list of names comes from. Throws ERR_TOOL_UNKNOWN.
 */
export function checkToolNames(
  { filter, override }: NamedTools,
  server: string,
  listed: readonly string[],
  places: Readonly<Record<keyof NamedTools, string>> = FLAGS,
): void {
  const known = new Set(listed);
  const unknown = Object.keys(override).find((tool) => !known.has(tool));
  if (unknown !== undefined) throw toolUnknown(places.override, unknown, server, listed);
  const visible = listed.map(
    (tool) => (Object.hasOwn(override, tool) ? override[tool]?.name : undefined) ?? tool,
  );
  const unseen = filter.find((tool) => !visible.includes(tool));
  if (unseen !== undefined) throw toolUnknown(places.filter, unseen, server, visible);
}

/** Creates the error for a tool that the server's entry does not list. */
function toolUnknown(place: string, tool: string, server: string, tools: readonly string[]): PortolanError {
  const shown =
    tools.length === 0 ? 'none' : tools.slice(0, 20).join(', ') + (tools.length > 20 ? ', …' : '');
  return new PortolanError(
    'ERR_TOOL_UNKNOWN',
    'mistake',
    `${place}: found ${quote(tool)}, an unknown tool of ${server}; expected one of ${shown}.`,
    { hint: 'List the tools with `portolan registry info SERVER`.' },
  );
}
