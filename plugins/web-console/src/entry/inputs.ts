import { undefinedNames } from '@portolan/entry-format';
import { type JsonMap, listOf, mapOf, textOf, textsOf } from '../responses/json-value.ts';

/** Value that a user must or may provide. */
export interface Input {
  /** Name for the server: `API_KEY`, `--folder`, `{tenant}`. */
  readonly name: string;
  /** Name of the input for `portolan run`: the name in `{tenant}`. */
  readonly askedAs: string;
  /** How the server receives the value: as a variable, a header or an argument. */
  readonly place: 'environment' | 'argument' | 'runtime' | 'header' | 'address';
  readonly description: string | undefined;
  readonly isRequired: boolean;
  /** Whether the input is required and has no default. */
  readonly isNeeded: boolean;
  readonly isSecret: boolean;
  readonly format: string | undefined;
  readonly fallback: string | undefined;
  readonly placeholder: string | undefined;
  readonly choices: readonly string[];
}

export const PLACE_WORDS: Readonly<Record<Input['place'], string>> = {
  environment: 'Variable',
  argument: 'Argument',
  runtime: 'Argument of the runtime',
  header: 'Header',
  address: 'In the address',
};

/** Returns all inputs of a package or a remote; leaves out fixed values. */
export function inputsOf(place: JsonMap): readonly Input[] {
  const transport = mapOf(place['transport']);
  return [
    ...inputsIn(place['environmentVariables'], 'environment'),
    ...inputsIn(place['packageArguments'], 'argument'),
    ...inputsIn(place['runtimeArguments'], 'runtime'),
    ...[place, transport].flatMap((one) => inputsIn(one['headers'], 'header')),
    ...[place, transport].flatMap((one) => variablesOf(one, 'address')),
  ];
}

function inputsIn(list: unknown, place: Input['place']): readonly Input[] {
  return listOf(list)
    .map(mapOf)
    .flatMap((input) => [
      ...(textOf(input['value']) === undefined
        ? [inputOf(input, place, { name: nameIn(input), askedAs: askedAs(input, place) })]
        : []),
      ...variablesOf(input, place),
    ]);
}

function variablesOf(value: JsonMap, place: Input['place']): readonly Input[] {
  const isSecret = value['isSecret'] === true;
  const defined = Object.entries(mapOf(value['variables'])).map(([name, variable]) => {
    const input = inputOf(mapOf(variable), place, { name: `{${name}}`, askedAs: name });
    return { ...input, isSecret: isSecret || input.isSecret };
  });
  return [...defined, ...undefinedIn(value, place)];
}

/** Returns inputs for undefined variables in braces, in URLs, required values and secrets. */
function undefinedIn(input: JsonMap, place: Input['place']): readonly Input[] {
  const text = textOf(place === 'address' ? input['url'] : input['value']) ?? '';
  const [isRequired, isSecret] = [input['isRequired'] === true, input['isSecret'] === true];
  const isNeeded = place === 'address' || isRequired || isSecret;
  return undefinedNames(text, input['variables']).map((name) => ({
    ...inputOf({ isRequired: isNeeded, isSecret }, place, { name: `{${name}}`, askedAs: name }),
  }));
}

/** Returns the name in prompts: the placeholder of an argument, else the input's name. */
function askedAs(value: JsonMap, place: Input['place']): string {
  const hint = place === 'argument' ? textOf(value['valueHint']) : undefined;
  return hint ?? nameIn(value);
}

function nameIn(input: JsonMap): string {
  return textOf(input['name']) ?? textOf(input['valueHint']) ?? 'value';
}

function inputOf(value: JsonMap, place: Input['place'], names: Pick<Input, 'name' | 'askedAs'>): Input {
  return {
    ...names,
    place,
    description: textOf(value['description']),
    isRequired: value['isRequired'] === true,
    isNeeded: value['isRequired'] === true && value['default'] === undefined,
    isSecret: value['isSecret'] === true,
    format: textOf(value['format']),
    fallback: textOf(value['default']),
    placeholder: textOf(value['placeholder']),
    choices: textsOf(value['choices']),
  };
}
