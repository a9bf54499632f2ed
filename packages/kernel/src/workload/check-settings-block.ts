import type { ConfigBlock } from '@portolan/plugin-api';
import { type Block, copyPlainData, isPlainMap } from '../config/plain-data.ts';
import { SchemaChecker } from '../config/schema-checker.ts';
import { secretFields } from '../config/secret-fields.ts';
import { configInvalid } from '../validation/validation-errors.ts';
import { formatConfigPath, parseConfigPath } from '../faults/config-path.ts';
import { type ConfigProblem, configProblem, printWarning } from '../faults/config-problem.ts';
import type { KindEntry } from '../kinds/kind-table.ts';
import { checkByKind, type CheckingKind, type CheckContext } from '../validation/check-by-kind.ts';
import type { KindSettings } from './workload-kernel.ts';

/** Shared by all calls, so that each schema is compiled once: a block is checked first and opened later. */
const CHECKER = new SchemaChecker();

export interface CheckedBlock {
  readonly block: Block;
  readonly warnings: readonly string[];
}

/**
 * Validates settings that do not come from the configuration file, such as those of a run config. Returns a
 * copy with defaults, and registers secret values for masking. Throws ERR_CONFIG_INVALID with every problem,
 * and ERR_PLUGIN_CHECK.
 */
export function checkGivenBlock(
  entry: KindEntry<CheckingKind & { readonly config: ConfigBlock }>,
  settings: KindSettings,
  { secrets, directory }: Pick<CheckContext, 'secrets' | 'directory'>,
): CheckedBlock {
  const place = parseConfigPath(settings.place) ?? [settings.place];
  const { value, problems } = copyPlainData(settings.value);
  const refuse = (refused: readonly ConfigProblem[]) => {
    if (refused.length === 0) return;
    throw configInvalid(
      settings.origin,
      refused.map((problem) => ({ ...problem, place: settings.calledOf?.(problem.place) ?? problem.place })),
    );
  };
  refuse(
    problems.map((problem) => {
      const at = formatConfigPath([...place, ...(parseConfigPath(problem.place) ?? [])]);
      return configProblem(at, problem.found, problem.expected);
    }),
  );
  const block = entry.kind.config;
  secrets.addNumbersOf(value, block);
  for (const field of secretFields(value, block, place)) {
    if (typeof field.value === 'string') secrets.add(field.value);
  }
  refuse(CHECKER.checkBlock(block, value, place));
  if (!isPlainMap(value)) {
    // The schema of every kind describes a map, so anything else is a problem.
    throw configInvalid(settings.origin, [configProblem(settings.place, 'no map', 'a map of settings')]);
  }
  const messages = checkByKind(entry, value, place, { directory, secrets });
  refuse(messages.filter((problem) => problem.isWarning !== true));
  return { block: value, warnings: messages.map(printWarning) };
}
