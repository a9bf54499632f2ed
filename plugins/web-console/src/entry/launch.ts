import { undefinedNames } from '@portolan/entry-format';
import type { Entry } from '../responses/entry.ts';
import { type JsonMap, listOf, mapOf, textOf } from '../responses/json-value.ts';

/** Value that a client asks its user for. */
export interface UserValue {
  readonly name: string;
  readonly description: string | undefined;
  readonly isSecret: boolean;
}

/** Value with parts that the user provides: `Bearer {key}`. */
export type Value = string | UserValue | readonly (string | UserValue)[];

/** Settings for a client that does not use Portolan. */
export type Launch =
  | {
      readonly command: string;
      readonly args: readonly string[];
      /** Environment variables by name. The values of inputs are left for the user. */
      readonly env: Readonly<Record<string, Value>>;
    }
  | {
      readonly type: 'http' | 'sse';
      readonly url: string;
      readonly headers: Readonly<Record<string, Value>>;
    };

/** Returns how to start an entry: its remote if it has one, else its first package with a known runner. */
export function launchOf({ document }: Entry): Launch | undefined {
  const remotes = listOf(document['remotes']).map(mapOf);
  const packages = listOf(document['packages']).map(mapOf);
  return (
    remotes.map(remoteLaunch).find((launch) => launch !== undefined) ??
    packages.map(packageLaunch).find((launch) => launch !== undefined)
  );
}

function remoteLaunch(remote: JsonMap): Launch | undefined {
  const url = textOf(remote['url']);
  if (url === undefined || !/^https?:\/\//i.test(url)) return undefined;
  return {
    type: remote['type'] === 'sse' ? 'sse' : 'http',
    url: filled(url, remote),
    headers: valuesOf(remote['headers']),
  };
}

/** Program, and the arguments around the package name, by package type. */
const RUNNERS: Readonly<
  Record<
    string,
    (id: string, version: string | undefined, before: readonly string[]) => readonly [string, ...string[]]
  >
> = {
  npm: (id, version, before) => [
    'npx',
    ...(before.includes('-y') ? [] : ['-y']),
    ...before,
    version === undefined ? id : `${id}@${version}`,
  ],
  pypi: (id, version, before) => ['uvx', ...before, version === undefined ? id : `${id}@${version}`],
  nuget: (id, version, before) => [
    'dnx',
    ...before,
    version === undefined ? id : `${id}@${version}`,
    '--yes',
  ],
};

function packageLaunch(input: JsonMap): Launch | undefined {
  const id = textOf(input['identifier']);
  const type = textOf(input['registryType']) ?? '';
  if (id === undefined || mapOf(input['transport'])['type'] !== 'stdio') return undefined;
  const env = valuesOf(input['environmentVariables']);
  const [before, after] = [argumentsOf(input['runtimeArguments']), argumentsOf(input['packageArguments'])];
  if (type === 'oci') {
    const names = Object.keys(env).flatMap((name) => ['-e', name]);
    return { command: 'docker', args: ['run', '-i', '--rm', ...names, ...before, id, ...after], env };
  }
  const runner = Object.hasOwn(RUNNERS, type) ? RUNNERS[type] : undefined;
  if (runner === undefined) return undefined;
  const [command, ...args] = runner(id, textOf(input['version']), before);
  return { command, args: [...args, ...after], env };
}

/** Returns the arguments of a package. A placeholder replaces a missing value. */
function argumentsOf(list: unknown): readonly string[] {
  return listOf(list)
    .map(mapOf)
    .flatMap((input) => {
      const name = input['type'] === 'named' ? textOf(input['name']) : undefined;
      const hint = textOf(input['valueHint']) ?? name?.replace(/^-+/, '') ?? 'value';
      const fixed = textOf(input['value']) ?? textOf(input['default']);
      const value = fixed === undefined ? undefined : filled(fixed, input);
      if (name === undefined)
        return value === undefined && input['isRequired'] !== true ? [] : [value ?? `<${hint}>`];
      if (value !== undefined) return [name, value];
      return input['isRequired'] === true ? [name, `<${hint}>`] : [];
    });
}

/** Returns the variables or headers that have a value or need one. */
function valuesOf(list: unknown): Readonly<Record<string, Value>> {
  return Object.fromEntries(
    listOf(list)
      .map(mapOf)
      .flatMap((input): (readonly [string, Value])[] => {
        const name = textOf(input['name']);
        const fixed = textOf(input['value']) ?? textOf(input['default']);
        const [isRequired, isSecret] = [input['isRequired'] === true, input['isSecret'] === true];
        if (name === undefined) return [];
        if (fixed !== undefined && /\{\w+\}/.test(fixed) && (isRequired || isSecret))
          return [[name, partsOf(fixed, input, isSecret)]];
        if (fixed !== undefined && !isSecret) return [[name, filled(fixed, input)]];
        if (!isRequired) return [];
        return [[name, { name, description: textOf(input['description']), isSecret }]];
      }),
  );
}

const PLACEHOLDER = /\{([\w.-]+)\}/g;

/** Splits a value at its variables. Variables without a value become inputs. */
function partsOf(text: string, { variables }: JsonMap, isSecret: boolean): readonly (string | UserValue)[] {
  const known = mapOf(variables);
  const names = [...Object.keys(known), ...undefinedNames(text, variables)];
  return text.split(/(\{[\w.-]+\})/).flatMap((part): readonly (string | UserValue)[] => {
    const name = part.slice(1, -1);
    if (!part.startsWith('{') || !names.includes(name)) return part === '' ? [] : [part];
    const definition = mapOf(Object.hasOwn(known, name) ? known[name] : undefined);
    const value = textOf(definition['value']) ?? textOf(definition['default']);
    if (value !== undefined) return [value];
    return [
      {
        name,
        description: textOf(definition['description']),
        isSecret: isSecret || definition['isSecret'] === true,
      },
    ];
  });
}

/** Fills in the variables. A variable without a value becomes its name in angle brackets. */
function filled(text: string, { variables }: JsonMap): string {
  const known = mapOf(variables);
  const open = undefinedNames(text, variables);
  return text.replace(PLACEHOLDER, (all, name: string) => {
    if (open.includes(name)) return `<${name}>`;
    if (!Object.hasOwn(known, name)) return all;
    const { value, default: fallback } = mapOf(known[name]);
    return textOf(value) ?? textOf(fallback) ?? `<${name}>`;
  });
}
