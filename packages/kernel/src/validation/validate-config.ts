import type { ConfigBlock } from '@portolan/plugin-api';
import { configInvalid } from './validation-errors.ts';
import { checkServerHosts, checkWorkloadHosts } from './check-hosts.ts';
import { checkByKind, type CheckingKind } from './check-by-kind.ts';
import type { KindEntry, KindTable } from '../kinds/kind-table.ts';
import type { LoadedPlugin } from '../plugins/import-plugin.ts';
import {
  inPlaceOf,
  mayComeFromPlugin,
  type RefusedPlugin,
  refusedProblem,
} from '../plugins/refused-plugin.ts';
import type { SecretValues } from '../logging/secret-values.ts';
import { applyOverrides, type Environment, warnOfUnknownNames } from '../config/apply-overrides.ts';
import { type ValidatedConfig, assembleConfig } from './assemble-config.ts';
import type { ComposedSchema } from './compose-schema.ts';
import { formatConfigPath, type ConfigPath } from '../faults/config-path.ts';
import { type ConfigProblem, configProblem, printWarning } from '../faults/config-problem.ts';
import { checkConfigRules } from './config-rules.ts';
import { WORKLOAD_LISTS, type WorkloadList } from '../kind-lists/kind-lists.ts';
import { AUDIT } from '../config/core-schema.ts';
import { exporterSettings } from '../config/telemetry-schema.ts';
import { warnOfConfig } from './config-warnings.ts';
import { expandEnvironment } from '../config/expand-environment.ts';
import type { LoadedConfig } from '../config/find-config.ts';
import { isPlainMap } from '../config/plain-data.ts';
import { SchemaChecker } from '../config/schema-checker.ts';

export interface ValidationInput {
  readonly loaded: LoadedConfig;
  readonly schema: ComposedSchema;
  readonly kinds: KindTable;
  readonly plugins: readonly LoadedPlugin[];
  readonly environment: Environment;
  readonly flags: Readonly<Record<string, unknown>>;
  readonly secrets: SecretValues;
  /**
   * Items of `plugins` that cannot be loaded. Their kinds are unknown, so unknown keys may belong to them.
   */
  readonly refused?: readonly RefusedPlugin[];
}

/**
 * Validates the configuration after defaults and overrides: the core schema, the schema of each block, the
 * kinds' checks of valid blocks, and the rules across fields. Throws ERR_CONFIG_INVALID with all problems in
 * the order of the file, and ERR_PLUGIN_CHECK.
 */
export async function validateConfig(input: ValidationInput): Promise<ValidatedConfig> {
  const { loaded, schema, environment, flags, kinds } = input;
  const config = loaded.value;
  const { settings } = schema;
  const overridden = applyOverrides(config, { settings, environment, flags });
  const blocks = isPlainMap(config) ? findBlocks(config, input) : [];
  const expanded: ConfigProblem[] = [];
  for (const { value, block, place } of blocks) {
    expanded.push(...(await expandEnvironment(value, block, place, { ...input, ...loaded })));
  }
  const checker = new SchemaChecker(loaded.positionOf);
  const checked = [
    ...checker.check(schema.core, config, []),
    ...blocks.flatMap((block) => checkBlock(block, checker, input)),
    ...checkExporter(config, input),
    ...checkOptions(input),
    ...(isPlainMap(config)
      ? checkConfigRules({
          config,
          kinds,
          sourceKinds: schema.names.sources,
          positionOf: loaded.positionOf,
          directory: loaded.directory,
        })
      : []),
    ...(isPlainMap(config)
      ? [
          ...checkServerHosts(config, kinds, loaded.positionOf),
          ...checkWorkloadHosts(config, kinds, loaded.positionOf),
        ]
      : []),
  ];
  const [messages, wrong] = [checked.filter(isWarning), checked.filter((problem) => !isWarning(problem))];
  const inPlace = named([...expanded, ...wrong], overridden.origins);
  const { refused = [] } = input;
  const known = refused.length === 0 ? inPlace : inPlace.filter((problem) => !mayComeFromPlugin(problem));
  const unloaded = refused.map((one) => refusedProblem(one, loaded.positionOf));
  const problems = arrange([...loaded.problems, ...overridden.problems, ...unloaded, ...known]);
  const [alone] = refused;
  if (alone !== undefined && problems.length === 1) throw inPlaceOf(alone, loaded);
  const toldInPlace = arrange(named(messages, overridden.origins)).map(printWarning);
  if (problems.length > 0 || !isPlainMap(config)) throw configInvalid(loaded.file, problems, toldInPlace);
  const assembled = assembleConfig(config, input);
  const warnings = [
    ...warnOfUnknownNames(environment, settings, schema.silentNames),
    ...warnOfConfig(assembled.config, kinds),
    ...toldInPlace,
  ];
  return { ...assembled, warnings };
}

function checkExporter(
  config: unknown,
  { kinds, loaded, secrets, schema }: ValidationInput,
): readonly ConfigProblem[] {
  const telemetry = isPlainMap(config) ? config['telemetry'] : undefined;
  const { exporter } = schema;
  const entry = exporter === undefined ? undefined : kinds.telemetry.get(exporter);
  if (entry === undefined || !isPlainMap(telemetry)) return [];
  const settings = exporterSettings(telemetry);
  const isInOrder =
    new SchemaChecker(loaded.positionOf).checkBlock(entry.kind.config, settings, ['telemetry']).length === 0;
  return isInOrder
    ? checkByKind(entry, settings, ['telemetry'], { ...loaded, secrets, trustsLoopback: true })
    : [];
}

function isWarning(problem: ConfigProblem): boolean {
  return problem.isWarning === true;
}

export interface LocatedBlock {
  readonly value: unknown;
  readonly block: ConfigBlock;
  readonly place: ConfigPath;
  readonly isCore?: boolean;
  readonly entry?: KindEntry<CheckingKind>;
}

export function checkBlock(
  { value, block, place, isCore, entry }: LocatedBlock,
  checker: SchemaChecker,
  { loaded, secrets }: Pick<ValidationInput, 'loaded' | 'secrets'>,
): readonly ConfigProblem[] {
  if (isCore === true || value === undefined) return [];
  const input: unknown = structuredClone(value); // the validation fills in defaults
  const problems = checker.checkBlock(block, value, place);
  if (problems.length > 0 || entry === undefined || !isPlainMap(value)) return problems;
  return checkByKind(entry, value, place, { ...loaded, secrets, input, trustsLoopback: true });
}

function findBlocks(config: Record<string, unknown>, input: ValidationInput): readonly LocatedBlock[] {
  const { schema, kinds, plugins } = input;
  const core = Object.entries(schema.coreBlocks).map(([key, block]) => ({
    value: config[key],
    block,
    place: [key],
    isCore: true,
  }));
  return [
    ...core,
    ...findSourceBlocks(config['sources'], kinds),
    ...findAuthBlock(config, kinds),
    ...findAuditBlock(config, kinds),
    ...findBlocksBelow(config, 'middleware', kinds),
    ...findBlocksBelow(config, 'pages', kinds),
    ...findWorkloadBlocks(config, kinds),
    ...findOptionBlocks(plugins),
  ];
}

export function findWorkloadBlocks(
  config: Record<string, unknown>,
  kinds: KindTable,
): readonly LocatedBlock[] {
  return WORKLOAD_LISTS.flatMap((list) => findBlocksBelow(config, list, kinds));
}

export function findOptionBlocks(plugins: readonly LoadedPlugin[]): readonly LocatedBlock[] {
  return plugins.flatMap(({ plugin, options, optionsPlace }) =>
    plugin.options === undefined ? [] : [{ value: options, block: plugin.options, place: optionsPlace }],
  );
}

function findSourceBlocks(sources: unknown, kinds: KindTable): readonly LocatedBlock[] {
  if (!Array.isArray(sources)) return [];
  return sources.flatMap((source: unknown, index) => {
    if (!isPlainMap(source)) return [];
    return Object.entries(source).flatMap(([key, value]) => {
      const entry = kinds.sources.get(key);
      if (entry === undefined) return [];
      return [{ value, block: entry.kind.config, place: ['sources', index, key], entry }];
    });
  });
}

/** Returns the block of the configured auth provider. An omitted optional block counts as empty. */
function findAuthBlock(config: Record<string, unknown>, kinds: KindTable): readonly LocatedBlock[] {
  const auth = config['auth'];
  const mode = isPlainMap(auth) ? auth['mode'] : undefined;
  const entry = typeof mode === 'string' ? kinds.authProviders.get(mode) : undefined;
  if (!isPlainMap(auth) || typeof mode !== 'string' || entry === undefined) return [];
  if (!Object.hasOwn(auth, mode)) auth[mode] = {};
  return [{ value: auth[mode], block: entry.kind.config, place: ['auth', mode], entry }];
}

function findAuditBlock(config: Record<string, unknown>, kinds: KindTable): readonly LocatedBlock[] {
  const entry = kinds.middleware.get(AUDIT);
  if (entry === undefined || !Object.hasOwn(config, AUDIT)) return [];
  return [{ value: config[AUDIT], block: entry.kind.config, place: [AUDIT], entry }];
}

function findBlocksBelow(
  config: Record<string, unknown>,
  list: 'middleware' | 'pages' | WorkloadList,
  kinds: KindTable,
): readonly LocatedBlock[] {
  const settings = config[list];
  if (!isPlainMap(settings)) return [];
  return Object.entries(settings).flatMap(([key, value]) => {
    const entry: KindEntry<CheckingKind & { readonly config: ConfigBlock }> | undefined =
      kinds[list].get(key);
    return entry === undefined ? [] : [{ value, block: entry.kind.config, place: [list, key], entry }];
  });
}

export function checkOptions({
  plugins,
  loaded,
}: Pick<ValidationInput, 'plugins' | 'loaded'>): readonly ConfigProblem[] {
  return plugins.flatMap(({ plugin, options, optionsPlace }) => {
    if (plugin.options !== undefined || !isPlainMap(options) || Object.keys(options).length === 0) return [];
    const expected = `none: the plugin "${plugin.name}" has no options`;
    return [
      configProblem(formatConfigPath(optionsPlace), 'options', expected, {
        position: loaded.positionOf(optionsPlace),
      }),
    ];
  });
}

function named(
  problems: readonly ConfigProblem[],
  origins: ReadonlyMap<string, string>,
): readonly ConfigProblem[] {
  return problems.map((problem) => {
    const origin = origins.get(problem.place);
    if (origin === undefined) return problem;
    const { place, found, expected, didYouMean } = problem;
    const clauseEnd = found.includes(', ') ? ',' : '';
    return configProblem(place, `${found}${clauseEnd} in ${origin}`, expected, { didYouMean });
  });
}

/**
 * Returns the first problem of each place, in the order of the file. Without a file, orders them by place.
 */
export function arrange(problems: readonly ConfigProblem[]): readonly ConfigProblem[] {
  const places = new Set<string>();
  const first = problems.filter(({ place }) => !places.has(place) && places.add(place));
  return first.toSorted(
    (left, right) =>
      (left.line ?? Number.MAX_SAFE_INTEGER) - (right.line ?? Number.MAX_SAFE_INTEGER) ||
      (left.column ?? 0) - (right.column ?? 0) ||
      left.place.localeCompare(right.place, 'en', { numeric: true }),
  );
}
