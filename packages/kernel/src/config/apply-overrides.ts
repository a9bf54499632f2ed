import type { ConfigBlock } from '@portolan/plugin-api';
import { formatConfigPath } from '../faults/config-path.ts';
import { type ConfigProblem, configProblem } from '../faults/config-problem.ts';
import { describeValue } from '../faults/describe-value.ts';
import {
  OTHER_ENVIRONMENT_NAMES,
  PREFIX,
  prefixedNames,
  SECRET_PREFIX,
  type Setting,
} from './environment-names.ts';
import { nearest } from '@portolan/plugin-api';
import { isPlainMap } from './plain-data.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

export interface OverrideInput {
  readonly settings: readonly Setting[];
  readonly environment: Environment;
  readonly flags: Readonly<Record<string, unknown>>;
}

export interface Overridden {
  readonly origins: ReadonlyMap<string, string>;
  readonly problems: readonly ConfigProblem[];
}

/**
 * Applies settings from environment variables and flags to a configuration. An empty variable counts as
 * unset. A variable whose text does not fit the type of its setting, or whose parent in the file is not a
 * map, is reported as a problem and not applied.
 */
export function applyOverrides(config: unknown, { settings, environment, flags }: OverrideInput): Overridden {
  const origins = new Map<string, string>();
  const problems: ConfigProblem[] = [];
  if (!isPlainMap(config)) return { origins, problems };
  for (const { path, environmentName, block } of settings) {
    const text = environment[environmentName];
    if (text === undefined || text === '') continue;
    const place = formatConfigPath(path);
    const converted = convert(text, block);
    if (converted === undefined) {
      const match = `${describeValue(text, block.secret === true)} in ${environmentName}`;
      problems.push(configProblem(place, match, EXPECTED[block.type] ?? 'a value'));
    } else if (setAt(config, path, converted)) {
      origins.set(place, environmentName);
    }
  }
  for (const [dotted, value] of Object.entries(flags)) {
    if (value === undefined) continue;
    const path = dotted.split('.');
    if (setAt(config, path, value)) origins.set(formatConfigPath(path), 'the command line');
  }
  return { origins, problems };
}

/**
 * Returns a sentence for each variable that begins with `PORTOLAN_` but sets nothing. `silent` lists prefixes
 * of unused settings, which cause no warning.
 */
export function warnOfUnknownNames(
  environment: Environment,
  settings: readonly Setting[],
  silent: readonly string[] = [],
): readonly string[] {
  const others = OTHER_ENVIRONMENT_NAMES.map(({ name }) => name);
  const known = new Set([...others, ...settings.map((setting) => setting.environmentName)]);
  return prefixedNames(environment)
    .filter(
      (name) =>
        !name.startsWith(SECRET_PREFIX) &&
        !known.has(name) &&
        !silent.some((beginning) => name.startsWith(beginning)),
    )
    .map((name) => {
      const close = nearestName(name, [...known]);
      const remedy = close === undefined ? '' : `; did you mean ${close}?`;
      return `the environment variable ${name} is no setting${remedy}`;
    });
}

/** Ignores the common prefix, which would make all names similar. */
function nearestName(name: string, known: readonly string[]): string | undefined {
  const close = nearest(withoutPrefix(name), known.map(withoutPrefix));
  return close === undefined ? undefined : `${PREFIX}${close}`;
}

function withoutPrefix(name: string): string {
  return name.slice(PREFIX.length);
}

/** Returns undefined when the text does not fit the type. */
export function convert(text: string, { type }: ConfigBlock): string | number | boolean | undefined {
  switch (type) {
    case 'string':
      return text;
    case 'integer':
      return /^[+-]?\d+$/.test(text.trim()) ? safeInteger(Number(text)) : undefined;
    case 'number':
      return /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(text.trim()) ? Number(text) : undefined;
    case 'boolean':
      return BOOLEANS.get(text.trim().toLowerCase());
    case 'array':
    case 'object':
      return undefined;
    default:
      return undefined;
  }
}

const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

const EXPECTED: Readonly<Partial<Record<ConfigBlock['type'], string>>> = {
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
};

function safeInteger(value: number): number | undefined {
  return Number.isSafeInteger(value) ? value : undefined;
}

function setAt(map: Record<string, unknown>, path: readonly string[], value: unknown): boolean {
  const [key, ...rest] = path;
  if (key === undefined || key === '__proto__') return false;
  if (rest.length === 0) {
    map[key] = value;
    return true;
  }
  if (!Object.hasOwn(map, key) || map[key] === null) map[key] = {};
  const inner = map[key];
  return isPlainMap(inner) && setAt(inner, rest, value);
}
