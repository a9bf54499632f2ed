import type { ReachedHost, SourceKind, SourceReach } from '@portolan/plugin-api';
import { assembleSource, type CheckedSourceItem } from '../../validation/assemble-config.ts';
import { type Block, copyPlainData, isPlainMap } from '../../config/plain-data.ts';
import { formatConfigPath, type ConfigPath } from '../../faults/config-path.ts';
import { type ConfigProblem, configProblem } from '../../faults/config-problem.ts';
import { durationMs } from '../../validation/rules/duration-ms.ts';
import { checkSourceRules } from '../../validation/rules/source-rules.ts';
import { SOURCE_KEYS, type SourceConfig } from '../../config/core-schema.ts';
import type { JsonSchema } from '../../config/json-schema.ts';
import type { SchemaChecker } from '../../config/schema-checker.ts';
import { secretFields } from '../../config/secret-fields.ts';
import { describeThrown } from '../../faults/describe-thrown.ts';
import { pluginShape } from '../../plugins/plugin-errors.ts';
import { sourceInvalid } from '../server-errors.ts';
import { checkByKind, type CheckContext } from '../../validation/check-by-kind.ts';
import type { KindEntry } from '../../kinds/kind-table.ts';
import type { ReachFault, ReachLimits } from './reach-limits.ts';

export interface SourceToCheck {
  readonly name: string;
  readonly definition: unknown;
  readonly kindNames: readonly string[];
  readonly schema: JsonSchema;
  readonly checker: SchemaChecker;
  readonly kinds: ReadonlyMap<string, KindEntry<SourceKind>>;
  readonly limits: ReachLimits;
  readonly context: CheckContext;
}

/**
 * Validates the definition of a source from the API. It must contain no secrets and reach only what the
 * operator allows. Fills in defaults. Does not resolve `${NAME}` or `file:`. Throws ERR_SOURCE_INVALID with
 * every problem, and ERR_PLUGIN_*.
 */
export async function checkSource(request: SourceToCheck): Promise<SourceConfig> {
  const { name, kindNames, kinds, schema, checker } = request;
  const { value, problems } = copyPlainData(request.definition);
  if (!isPlainMap(value)) throw sourceInvalid([configProblem('(root)', 'no map', 'a map')]);
  const named = problemOfName(name, value['name']);
  const inputs = Object.entries(value).filter(([key, inner]) => inner !== null || !isCommonKey(key));
  const source: Record<string, unknown> = { ...Object.fromEntries(inputs), name };
  const matches: ConfigProblem[] = [...problems, ...named, ...checker.check(schema, source, [])];
  matches.push(...checkSourceRules(source, { kinds: { sources: kinds }, sourceKinds: kindNames }));
  matches.push(...problemsOfInterval(source['syncPolicy']));
  for (const [key, entry] of kinds) {
    if (!Object.hasOwn(source, key)) continue;
    // `push(...problems)` would fail for more problems than a call may have arguments.
    for (const problem of await checkByAll(entry, source[key], request)) matches.push(problem);
  }
  if (matches.length > 0) throw sourceInvalid(matches);
  // SAFETY: the checks above have rejected every other shape.
  return assembleSource(source as unknown as CheckedSourceItem, { sources: kinds });
}

/**
 * Validates a stored block again, because the operator may have changed the limits since. Throws
 * ERR_SOURCE_INVALID.
 */
export async function checkSourceBlock(
  entry: KindEntry<SourceKind>,
  block: unknown,
  limits: ReachLimits,
  checker: SchemaChecker,
): Promise<Block> {
  const { value, problems } = copyPlainData(block);
  const within = await checkWithin(entry, value, checker, limits);
  const found = [...problems, ...within.problems];
  if (found.length > 0) throw sourceInvalid(found);
  return value as Block; // validated by the kind's schema, which describes a map
}

/**
 * Validates a block by its schema, the operator's limits and the kind's own check. Skips the kind's check
 * when a file is outside of the limits, because its result would reveal something about that file.
 */
async function checkByAll(
  entry: KindEntry<SourceKind>,
  block: unknown,
  { limits, context, checker }: SourceToCheck,
): Promise<readonly ConfigProblem[]> {
  const { problems, mayAsk } = await checkWithin(entry, block, checker, limits);
  if (!mayAsk || !isPlainMap(block)) return problems;
  const places = new Set(problems.map(({ place }) => place));
  const messages = checkByKind(entry, block, [entry.kind.kind], context).filter(
    (problem) => problem.isWarning !== true,
  );
  return [...problems, ...messages.filter(({ place }) => !places.has(place) && places.add(place))];
}

interface CheckedWithin {
  readonly problems: readonly ConfigProblem[];
  readonly mayAsk: boolean;
}

async function checkWithin(
  entry: KindEntry<SourceKind>,
  block: unknown,
  checker: SchemaChecker,
  limits: ReachLimits,
): Promise<CheckedWithin> {
  const { kind } = entry;
  const place = [kind.kind];
  const problems = checker.checkBlock(kind.config, block, place);
  if (problems.length > 0 || !isPlainMap(block)) return { problems, mayAsk: false };
  const reach = reachOf(entry, block);
  if (reach === undefined) {
    const expected =
      'a kind that says what it reaches; sources of this one stand in the configuration file only';
    return { problems: [configProblem(formatConfigPath(place), kind.kind, expected)], mayAsk: false };
  }
  const faulty = new Map<string, ReachFault>();
  for (const file of reach.files) addFault(faulty, file, await limits.faultOfFile(file));
  const mayAsk = faulty.size === 0 && (reach.refused ?? []).length === 0;
  for (const url of reach.urls) addFault(faulty, url, limits.faultOfUrl(url));
  const reached = [...faulty].map(([text, { found, expected }]) =>
    configProblem(formatConfigPath(placeOf(text, block, place)), found, expected),
  );
  for (const host of reach.hosts ?? []) {
    const fault = limits.faultOfHost(host);
    if (fault === undefined) continue;
    const at =
      host.place === undefined ? formatConfigPath(place) : `${formatConfigPath(place)}.${host.place}`;
    reached.push(configProblem(at, fault.found, fault.expected));
  }
  const ofCredentials =
    reach.serverCredentials === undefined ? undefined : limits.faultOfCredentials(reach.serverCredentials);
  if (ofCredentials !== undefined)
    reached.push(configProblem(formatConfigPath(place), ofCredentials.found, ofCredentials.expected));
  for (const { place: inner, found, expected } of reach.refused ?? [])
    reached.push(configProblem(`${formatConfigPath(place)}.${inner}`, found, expected));
  return { problems: [...reached, ...checkSecrets(kind, block, reach)], mayAsk };
}

function addFault(faults: Map<string, ReachFault>, text: string, fault: ReachFault | undefined): void {
  if (fault !== undefined) faults.set(text, fault);
}

/**
 * Returns the files, URLs and hosts that a source reaches. Undefined when its kind does not report them. A
 * kind without settings reaches nothing.
 */
function reachOf({ kind, plugin, file }: KindEntry<SourceKind>, block: Block): SourceReach | undefined {
  if (kind.reaches !== undefined) {
    try {
      const { files, urls, hosts = [], refused = [], serverCredentials } = kind.reaches(block);
      return {
        files: [...files],
        urls: [...urls],
        hosts: hosts.map(checkedHost),
        refused: [...refused],
        ...(serverCredentials === undefined ? {} : { serverCredentials }),
      };
    } catch (error) {
      throw pluginShape(
        { plugin, file },
        `"reaches" of the kind "${kind.kind}" failed: ${describeThrown(error)}`,
        error,
      );
    }
  }
  return saysReach(kind) ? { files: [], urls: [] } : undefined;
}

/**
 * Returns whether a kind reports which files, URLs and hosts its sources reach. A kind without settings
 * counts, because it reaches nothing.
 */
export function saysReach(kind: SourceKind): boolean {
  const { properties = {}, additionalProperties } = kind.config;
  const hasSettings = Object.keys(properties).length > 0 || additionalProperties !== undefined;
  return kind.reaches !== undefined || !hasSettings;
}

/** Validates host and port of a connection, because the limits could not be compared with invalid ones. */
function checkedHost({ scheme, host, port, place }: ReachedHost): ReachedHost {
  if (typeof host !== 'string' || host === '') throw new TypeError('a host is not a string');
  if (!Number.isInteger(port) || port < 1 || port > 65_535) throw new TypeError('a port is out of range');
  return { scheme, host, port, ...(place === undefined ? {} : { place }) };
}

/**
 * Returns a problem for each secret in the block, because stored definitions are shown in plain text. An
 * address that the source requests is not a secret by itself.
 */
function checkSecrets(kind: SourceKind, block: Block, { urls }: SourceReach): readonly ConfigProblem[] {
  return secretFields(block, kind.config, [kind.kind]).flatMap(({ place, value }) => {
    const isAddress = typeof value === 'string' && urls.includes(value);
    if (isAddress && !value.includes('${')) return [];
    const match = isAddress ? 'a reference' : 'a value that is not shown';
    const expected = 'nothing secret: that may stand in the configuration file only';
    return [configProblem(formatConfigPath(place), match, expected)];
  });
}

function placeOf(text: string, block: Block, place: ConfigPath): ConfigPath {
  const key = Object.keys(block).find((name) => block[name] === text);
  return key === undefined ? place : [...place, key];
}

/** Returns whether null at a key means an omitted value, as is common in JSON. */
function isCommonKey(key: string): boolean {
  return (SOURCE_KEYS as readonly string[]).includes(key);
}

/** Minimum interval in milliseconds. API callers must not make this server send requests continuously. */
const LEAST_INTERVAL_MS = 10_000;

function problemsOfInterval(policy: unknown): readonly ConfigProblem[] {
  const interval = isPlainMap(policy) ? policy['interval'] : undefined;
  const ms = typeof interval === 'string' ? durationMs(interval) : undefined;
  // Other checks reported a zero or invalid duration already.
  if (ms === undefined || ms === 0 || ms >= LEAST_INTERVAL_MS) return [];
  const expected = 'at least 10s for a source that is made through the API';
  return [configProblem('syncPolicy.interval', JSON.stringify(interval), expected)];
}

function problemOfName(name: string, input: unknown): readonly ConfigProblem[] {
  if (input === undefined || input === name) return [];
  return [configProblem('name', 'another name', `${JSON.stringify(name)}, or none: the address says it`)];
}
