import { isJsonObject, memberOf, textMember, textsIn } from '../document/json-members.ts';

/** Something that a registry entry wants to be told (server.json of the MCP registry, "Input"). */
export interface EntryInput {
  /** What it is asked by: the name of a variable, argument or header, or of the `{name}` in one. */
  readonly name: string;
  /** What the entry itself calls it, where that is something else. */
  readonly alias?: string;
  readonly description: string | undefined;
  readonly isRequired: boolean;
  readonly isSecret: boolean;
  readonly default: string | undefined;
  readonly placeholder: string | undefined;
  /** Empty: any value. */
  readonly choices: readonly string[];
  readonly format: string;
}

/** A text with inputs in it. `{name}` stands for an input where there is one of that name, else for itself. */
export interface Template {
  readonly text: string;
  readonly inputs: readonly EntryInput[];
}

/**
 * The value of an input as a template: its fixed `value` with the variables in
 * it, else what is asked for under `name`.
 */
export function templateOf(input: unknown, name: string): Template {
  const fixed = textMember(input, 'value');
  if (fixed === undefined) return { text: `{${name}}`, inputs: [inputOf(input, name)] };
  return { text: fixed, inputs: variablesIn(fixed, memberOf(input, 'variables'), isTrue(input, 'isSecret')) };
}

/** The inputs that a text with `{name}` in it asks for, by their definitions; one without definition is no input. */
export function variablesIn(text: string, variables: unknown, isSecret = false): readonly EntryInput[] {
  const names = [...new Set([...text.matchAll(PLACE)].map(([, name = '']) => name))];
  return names.flatMap((name) => {
    const variable = memberOf(variables, name);
    if (!isJsonObject(variable)) return [];
    const input = inputOf(variable, name);
    return [{ ...input, isSecret: input.isSecret || isSecret }];
  });
}

const PLACE = /\{([^{}]+)\}/g;

export function inputOf(input: unknown, name: string): EntryInput {
  const fixed = textMember(input, 'value');
  const fallback = memberOf(input, 'default');
  return {
    name,
    description: textMember(input, 'description'),
    isRequired: fixed === undefined && isTrue(input, 'isRequired'),
    isSecret: isTrue(input, 'isSecret'),
    default: fixed ?? defaultText(fallback),
    placeholder: textMember(input, 'placeholder'),
    choices: textsIn(input, 'choices'),
    format: textMember(input, 'format') ?? 'string',
  };
}

/** All are texts by the schema; catalogues in the field also hold numbers and truth values. */
function defaultText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

/** Returns the input for a `{name}` that the entry does not define. */
export function undefinedInput(
  name: string,
  { isRequired, isSecret = false }: { readonly isRequired: boolean; readonly isSecret?: boolean },
): EntryInput {
  return { ...inputOf({}, name), isRequired, isSecret };
}

function isTrue(input: unknown, key: string): boolean {
  return memberOf(input, key) === true;
}

/** What is known: values by the name of their input. */
export type Answers = ReadonlyMap<string, string>;

/**
 * The text with every input replaced by its value, once: what stands in a value
 * is not looked at. Undefined when an input has no value.
 */
export function fillTemplate({ text, inputs }: Template, answers: Answers): string | undefined {
  const asked = new Map(inputs.map((input) => [input.name, input]));
  let isWhole = true;
  const filled = text.replaceAll(PLACE, (whole, name: string) => {
    const input = asked.get(name);
    if (input === undefined) return whole;
    const value = answers.get(name) ?? input.default;
    if (value === undefined) isWhole = false;
    return value ?? '';
  });
  return isWhole ? filled : undefined;
}
