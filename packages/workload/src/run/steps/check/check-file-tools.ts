import { checkToolNames, type RunConfig } from '@portolan/run-spec';
import type { WorkloadContext } from '../../../workload-context.ts';

const PLACES = { filter: 'tools_filter', override: 'tools_override' } as const;

/**
 * Checks that the tools which a run config file names exist in its registry entry. If the entry cannot be
 * looked up, returns a note instead of failing, because the file may come from a machine that uses another
 * registry. Throws ERR_TOOL_UNKNOWN.
 */
export async function checkFileTools(
  { registry_server_name: name, tools_filter: filter, tools_override: override }: RunConfig,
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<readonly string[]> {
  if (name === '' || (filter.length === 0 && Object.keys(override).length === 0)) return [];
  const { findServer } = await import('@portolan/registry-client/lookup');
  const { lookupContextOf } = await import('../../lookup-context.ts');
  let tools: readonly string[] | undefined;
  try {
    const server = await findServer(name, lookupContextOf(context), signal);
    if (!server.isFound || server.name !== name) return [];
    tools = server.settings.tools;
  } catch {
    signal.throwIfAborted();
    return [
      `The tools that the file names were not checked against the entry of ${name}, which cannot be looked up.`,
    ];
  }
  if (tools !== undefined) checkToolNames({ filter, override }, name, tools, PLACES);
  return [];
}
