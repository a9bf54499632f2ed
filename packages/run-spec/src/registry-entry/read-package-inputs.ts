import { type JsonMembers, memberOf, objectsIn, textMember } from '../document/json-members.ts';
import { type EntryInput, inputOf, type Template, templateOf, variablesIn } from './entry-input.ts';
import type { EntryArgument, NamedValue, ServerSettings } from './server-settings.ts';

/** Arguments and variables of a package, and what of its runtime arguments does not count. */
export function readPackageInputs(
  item: JsonMembers,
  runtime: string,
): Pick<ServerSettings, 'args' | 'variables' | 'notes'> {
  const runtimeArguments = objectsIn(item, 'runtimeArguments');
  const fromRuntime = runtimeArguments.map((argument) => variableOf(argument));
  const declared = objectsIn(item, 'environmentVariables').flatMap((variable): readonly NamedValue[] => {
    const name = textMember(variable, 'name');
    return name === undefined ? [] : [{ name, value: templateOf(variable, name) }];
  });
  const names = new Set(declared.map(({ name }) => name));
  const more = fromRuntime.flatMap((variable) => (variable === undefined ? [] : [variable]));
  return {
    args: objectsIn(item, 'packageArguments').flatMap((argument, index) => argumentOf(argument, index)),
    variables: [...declared, ...more.filter(({ name }) => !names.has(name))],
    notes: runtimeArguments
      .filter((argument, index) => fromRuntime[index] === undefined && !isHarmless(argument, runtime))
      .map((argument) => `The runtime argument ${describe(argument)} does not count.`),
  };
}

/**
 * A positional argument is its value; its `valueHint` is what it is asked by. A
 * named one is its name and the value behind it; one that neither has a value
 * nor asks for one is its name alone.
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

/** `-e NAME=value` and `--env NAME={variable}` of a container's runtime. */
function variableOf(argument: JsonMembers): NamedValue | undefined {
  const flag = textMember(argument, 'name');
  if (memberOf(argument, 'type') !== 'named' || (flag !== '-e' && flag !== '--env')) return undefined;
  const text = textMember(argument, 'value') ?? '';
  const at = text.indexOf('=');
  if (at < 1) return undefined;
  const [name, value] = [text.slice(0, at), text.slice(at + 1)];
  return { name, value: templateBehind(name, value, argument) };
}

/** Alone, a variable is asked for by the name that the container knows. */
function templateBehind(name: string, value: string, argument: JsonMembers): Template {
  const variables = memberOf(argument, 'variables');
  const [, alone = ''] = /^\{([^{}]+)\}$/.exec(value) ?? [];
  const definition = memberOf(variables, alone);
  if (definition === undefined) {
    return { text: value, inputs: variablesIn(value, variables, memberOf(argument, 'isSecret') === true) };
  }
  const input: EntryInput = inputOf(definition, name);
  const isRequired =
    input.isRequired || (memberOf(argument, 'isRequired') === true && input.default === undefined);
  return { text: `{${name}}`, inputs: [{ ...input, isRequired, alias: alone }] };
}

/** What package runners are told to make them ask nothing. */
function isHarmless(argument: JsonMembers, runtime: string): boolean {
  const text = describe(argument);
  return runtime === 'npx' ? ['-y', '--yes'].includes(text) : ['run', '-i', '--rm', '--init'].includes(text);
}

function describe(argument: JsonMembers): string {
  return textMember(argument, 'name') ?? textMember(argument, 'value') ?? 'without a name';
}
