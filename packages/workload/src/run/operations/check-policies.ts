import path from 'node:path';
import { isPortolanError, nearest } from '@portolan/plugin-api';
import { createRunConfig, type RunConfig } from '@portolan/run-spec';
import { readListedTools } from '../../state/listed-tools.ts';
import type { WorkloadContext } from '../../workload-context.ts';
import { readAuthzConfig } from '../steps/read/read-authz-config.ts';
import { pathOf } from '../steps/read/read-policy-files.ts';
import { readToolsOverride } from '../steps/read/read-tools-override.ts';
import { withPoliciesAlone } from './open-policies-alone.ts';

export interface PolicySettings {
  readonly files: readonly string[];
  readonly tools: readonly string[] | undefined;
  readonly toolsOverride: string | undefined;
  /** Workload whose stored settings are checked when no files and no tools are given. */
  readonly workload: string | undefined;
}

export interface NamedTool {
  readonly tool: string;
  readonly place: string;
}

export interface PolicyReport {
  readonly problems: readonly { readonly place: string; readonly code: string; readonly message: string }[];
  readonly warnings: readonly string[];
  readonly tools: readonly NamedTool[];
}

export interface UnknownTool extends NamedTool {
  /** Listed tool with a similar name; null if there is none. */
  readonly suggestion: string | null;
}

interface Part {
  readonly place: string;
  readonly read: () => Promise<Partial<RunConfig>>;
  /** Returns the place that names a tool, for messages. `field` is a run config field. */
  readonly placeOf?: (field: string, tool: string) => string;
}

/**
 * Checks the settings that decide which tools are available and who may call them. Reports invalid settings
 * in the result. Throws ERR_WORKLOAD_UNKNOWN.
 */
export async function checkPolicies(
  settings: PolicySettings,
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<PolicyReport> {
  const problems: PolicyReport['problems'][number][] = [];
  const warnings: string[] = [];
  const tools: NamedTool[] = [];
  for (const { place, read, placeOf } of await partsOf(settings, context, signal)) {
    try {
      const config = createRunConfig({ name: settings.workload ?? 'authz-validate', ...(await read()) });
      await withPoliciesAlone(config, place, context, async ({ opened, warnings: matches }) => {
        warnings.push(...matches);
        for (const { place: field, instance } of opened)
          for (const tool of instance.namedTools?.() ?? [])
            tools.push({ tool, place: placeOf?.(field, tool) ?? place });
        return await Promise.resolve();
      });
    } catch (error) {
      signal.throwIfAborted();
      if (!isPortolanError(error) || error.class !== 'mistake') throw error;
      problems.push({ place, code: error.code, message: error.message });
    }
  }
  return { problems, warnings, tools };
}

async function partsOf(
  { files, tools, toolsOverride, workload }: PolicySettings,
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<readonly Part[]> {
  const storedWorkload = workload === undefined ? undefined : await context.store.find(workload);
  if (workload !== undefined && storedWorkload === undefined) throw await context.store.unknown(workload);
  const parts: Part[] = files.map((file) => ({
    place: file,
    // With an empty path, the authorizer does not watch the policy file for changes.
    read: async () => ({
      ...(await readAuthzConfig(file, pathOf(file, context), signal)),
      authz_config_path: '',
    }),
  }));
  if (tools !== undefined || toolsOverride !== undefined) {
    parts.push({
      place: tools === undefined ? `--tools-override ${toolsOverride}` : '--tools',
      read: async () => ({
        tools_filter: [...(tools ?? [])],
        ...(toolsOverride === undefined
          ? {}
          : await readToolsOverride(pathOf(toolsOverride, context), signal)),
      }),
      placeOf: (_field, tool) =>
        tools?.includes(tool) === true || toolsOverride === undefined
          ? '--tools'
          : `--tools-override ${toolsOverride}`,
    });
  }
  const config = storedWorkload?.config;
  if (parts.length > 0 || config === undefined) return parts;
  const own = {
    registry_server_name: config.registry_server_name,
    tools_filter: config.tools_filter,
    tools_override: config.tools_override,
    authz_config: config.authz_config,
    authz_config_path: config.authz_config_path,
  };
  const place = `the run config of ${workload}`;
  return [{ place, read: () => Promise.resolve(own), placeOf: (field) => `${field} of ${place}` }];
}

/**
 * Returns the tools that settings name but the workload does not list. Uses the full list that the supervisor
 * recorded, or else `seen`, the tools that this caller sees.
 */
export async function findUnknownTools(
  tools: readonly NamedTool[],
  { workload, seen }: { readonly workload: string; readonly seen: readonly string[] },
  { directories }: Pick<WorkloadContext, 'directories'>,
): Promise<readonly UnknownTool[]> {
  const listed = (await readListedTools(path.join(directories.policies, workload))) ?? seen;
  const known = new Set(listed);
  return tools
    .filter(({ tool }) => !known.has(tool))
    .map((named) => ({ ...named, suggestion: nearest(named.tool, listed) ?? null }));
}
