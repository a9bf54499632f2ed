import { type JsonMembers, memberOf, objectsIn, textMember } from '../document/json-members.ts';
import type { EntryInput, Template } from './entry-input.ts';
import type { PackageProgram } from './package-program.ts';
import { holderOf, inputOf, templateOf, variablesIn } from './read-input.ts';
import { readRuntimeSettings } from './runtime-settings.ts';
import type { EntryArgument, NamedValue, ServerSettings } from './server-settings.ts';

export interface PackageInputs extends Pick<ServerSettings, 'args' | 'variables' | 'runtime' | 'notes'> {
  /**
   * Values by the names that the transport URL may use: variables, arguments with and without dashes, value
   * hints.
   */
  readonly values: ReadonlyMap<string, Template>;
}

export function readPackageInputs(
  item: JsonMembers,
  runtime: string,
  { runtimeArguments, packageArguments }: Pick<PackageProgram, 'runtimeArguments' | 'packageArguments'>,
): PackageInputs {
  const fromRuntime = runtimeArguments.map((argument) => variableOf(argument));
  const declared = objectsIn(item, 'environmentVariables').flatMap((variable): readonly NamedValue[] => {
    const name = textMember(variable, 'name');
    return name === undefined ? [] : [{ name, value: templateOf(variable, name) }];
  });
  const names = new Set(declared.map(({ name }) => name));
  const more = fromRuntime.flatMap((variable) => (variable === undefined ? [] : [variable]));
  const others = runtimeArguments.filter((_argument, index) => fromRuntime[index] === undefined);
  const { notes, ...settings } = readRuntimeSettings(others, runtime);
  return {
    values: valuesByName(item, [...more, ...declared]),
    args: packageArguments.flatMap((argument, index) => argumentOf(argument, index)),
    variables: [...declared, ...more.filter(({ name }) => !names.has(name))],
    runtime: settings,
    notes,
  };
}

function valuesByName(item: JsonMembers, variables: readonly NamedValue[]): ReadonlyMap<string, Template> {
  const values = new Map<string, Template>();
  for (const [index, argument] of objectsIn(item, 'packageArguments').entries()) {
    const [read] = argumentOf(argument, index);
    if (read?.value === undefined) continue;
    const names = [textMember(argument, 'valueHint'), read.flag, read.flag?.replace(/^-+/, '')];
    for (const name of names) if (name !== undefined) values.set(name, read.value);
  }
  for (const { name, value } of variables) {
    for (const { alias } of value.inputs) if (alias !== undefined) values.set(alias, value);
    values.set(name, value);
  }
  return values;
}

/**
 * Parses an argument. A positional one is only its value, which users give by its `valueHint`. A named one is
 * its name, followed by the value if it has one.
 */
function argumentOf(argument: JsonMembers, index: number): readonly EntryArgument[] {
  const isNamed = memberOf(argument, 'type') === 'named';
  const flag = isNamed ? textMember(argument, 'name') : undefined;
  if (isNamed && flag === undefined) return [];
  const name = textMember(argument, 'valueHint') ?? flag ?? `argument ${index + 1}`;
  if (isNamed && !hasValue(argument)) return [{ flag, value: undefined }];
  return [{ flag, value: templateOf(argument, name) }];
}

function hasValue(argument: JsonMembers): boolean {
  return ['value', 'default', 'valueHint', 'placeholder', 'choices', 'isRequired', 'format', 'isSecret'].some(
    (key) => memberOf(argument, key) !== undefined && memberOf(argument, key) !== false,
  );
}

/** Parses `-e NAME=value` and `--env NAME={variable}`. */
function variableOf(argument: JsonMembers): NamedValue | undefined {
  const flag = textMember(argument, 'name');
  if (memberOf(argument, 'type') !== 'named' || (flag !== '-e' && flag !== '--env')) return undefined;
  const text = textMember(argument, 'value') ?? '';
  const at = text.indexOf('=');
  // In Docker, a variable without a value is taken from the environment. Here it becomes an input.
  if (at === -1 && /^[A-Za-z_]\w*$/.test(text)) {
    const { value: _, ...input } = argument;
    return { name: text, value: templateOf(input, text) };
  }
  if (at < 1) return undefined;
  const [name, value] = [text.slice(0, at), text.slice(at + 1)];
  return { name, value: templateBehind(name, value, argument) };
}

/**
 * Returns the template of a variable. If its whole value is one `{name}`, users give it by the variable's
 * name.
 */
function templateBehind(name: string, value: string, argument: JsonMembers): Template {
  const variables = memberOf(argument, 'variables');
  const [, alone = ''] = /^\{([^{}]+)\}$/.exec(value) ?? [];
  const definition = memberOf(variables, alone);
  if (definition === undefined) {
    return { text: value, inputs: variablesIn(value, variables, holderOf(argument)) };
  }
  const input: EntryInput = inputOf(definition, name);
  const isRequired =
    input.isRequired || (memberOf(argument, 'isRequired') === true && input.default === undefined);
  return { text: `{${name}}`, inputs: [{ ...input, isRequired, alias: alone }] };
}
