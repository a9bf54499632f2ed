import { isPortolanError } from '@portolan/plugin-api';
import { configInvalid } from './validation-errors.ts';
import { FURTHER_KINDS } from '../config/core-schema.ts';
import { type ConfigProblem, problemsOf, warningsOf } from '../faults/config-problem.ts';
import { type ConfigPath, parseConfigPath } from '../faults/config-path.ts';
import type { LoadedConfig } from '../config/find-config.ts';
import { rowOf, type KindList } from '../kind-lists/kind-lists.ts';
import type { KindTable } from '../kinds/kind-table.ts';
import { loadKinds } from '../kinds/load-kinds.ts';
import type { LoadOptions } from '../plugins/plugin-origins.ts';

interface MissingKind {
  readonly list: KindList;
  readonly name: string;
}

/**
 * Adds a suggestion to each problem about an unknown kind that an installed plugin provides: the plugin to
 * add to `plugins`. Imports installed plugins only when there are such problems, and skips plugins that
 * cannot be loaded.
 */
export async function nameInstalledPlugins(
  error: unknown,
  loaded: LoadedConfig,
  options: LoadOptions,
): Promise<unknown> {
  const problems = problemsOf(error);
  if ((options.installed ?? []).length === 0 || !problems.some((one) => findMissingKind(one) !== undefined))
    return error;
  const kinds = await loadInstalled(loaded, options);
  const messages = problems.map((problem) => {
    const missing = findMissingKind(problem);
    const entry = missing === undefined ? undefined : kinds?.[missing.list].get(missing.name);
    if (entry?.installedAs === undefined) return problem;
    const expected = `${problem.expected}. The installed plugin "${entry.installedAs}" brings it: add it to "plugins"`;
    return { ...problem, expected };
  });
  return configInvalid(loaded.file, messages, warningsOf(error));
}

/**
 * Loads the kinds of installed plugins. Undefined when that fails, because the problems of the configuration
 * are reported anyway.
 */
async function loadInstalled(found: LoadedConfig, options: LoadOptions): Promise<KindTable | undefined> {
  try {
    const refuse = (): undefined => undefined;
    return (await loadKinds(found, [], options, { everyInstalled: true, refuse })).kinds;
  } catch (error) {
    if (isPortolanError(error)) return undefined;
    throw error;
  }
}

function findMissingKind({ place, found, expected }: ConfigProblem): MissingKind | undefined {
  const parts: ConfigPath = parseConfigPath(place) ?? [];
  const [list, second] = parts;
  const name = String(parts.at(-1));
  if (place === 'auth.mode') return { list: 'authProviders', name: textIn(found) };
  if (place === 'telemetry.exporter') return { list: 'telemetry', name: textIn(found) };
  if (list === 'auth' && parts.length === 2) return { list: 'authProviders', name };
  if (!expected.includes(FURTHER_KINDS)) return undefined;
  if (list === 'sources' && typeof second === 'number' && parts.length === 3) return { list, name };
  const isList = typeof list === 'string' && parts.length === 2 && rowOf(list) !== undefined;
  // The previous line has checked that this is the name of a list.
  return isList ? { list: list as KindList, name } : undefined;
}

/** Returns the quoted text in a problem: `"weird"`, even when the origin of the value follows. */
function textIn(actual: string): string {
  return /^"([^"]*)"/.exec(actual)?.[1] ?? '';
}
