import { undefinedNames } from '@portolan/entry-format';
import { isJsonObject, memberOf, textMember, textsIn } from '../document/json-members.ts';
import type { EntryInput, Template } from './entry-input.ts';

interface Holder {
  readonly isRequired: boolean;
  readonly isSecret: boolean;
}

const PLAIN: Holder = { isRequired: false, isSecret: false };

/** Returns a template: the fixed `value` with its variables, otherwise an input that users give by `name`. */
export function templateOf(input: unknown, name: string): Template {
  const fixed = textMember(input, 'value');
  if (fixed === undefined) return { text: `{${name}}`, inputs: [inputOf(input, name)] };
  return { text: fixed, inputs: variablesIn(fixed, memberOf(input, 'variables'), holderOf(input)) };
}

export function holderOf(input: unknown): Holder {
  return { isRequired: isTrue(input, 'isRequired'), isSecret: isTrue(input, 'isSecret') };
}

/**
 * Returns the inputs for the `{name}` parts of a text. `holder` is the argument, header or variable that
 * contains the text. A name that `variables` does not define is required if `holder` is required or secret;
 * otherwise it stays literal.
 */
export function variablesIn(text: string, variables: unknown, holder: Holder = PLAIN): readonly EntryInput[] {
  const defined = namesIn(text).flatMap((name) => {
    const variable = memberOf(variables, name);
    if (!isJsonObject(variable)) return [];
    const input = inputOf(variable, name);
    return [{ ...input, isSecret: input.isSecret || holder.isSecret }];
  });
  const others = undefinedNames(text, variables).map((name) => undefinedInput(name, holder));
  return [...defined, ...others];
}

/** Returns the inputs of a URL, all of them required: a URL with a remaining `{name}` is unusable. */
export function variablesInUrl(text: string, variables: unknown): readonly EntryInput[] {
  return namesIn(text).map((name) => {
    const variable = memberOf(variables, name);
    const input = inputOf(isJsonObject(variable) ? variable : {}, name);
    return { ...input, isRequired: true };
  });
}

function namesIn(text: string): readonly string[] {
  return [...new Set([...text.matchAll(/\{([^{}]+)\}/g)].map(([, name = '']) => name))];
}

export function undefinedInput(name: string, { isRequired, isSecret }: Holder): EntryInput {
  const input = { ...inputOf({}, name), isRequired: isRequired || isSecret, isSecret };
  return input.isRequired ? input : { ...input, isOptionalText: true };
}

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

/** Returns a default as text. Published catalogues also contain numbers and booleans, against the schema. */
function defaultText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

function isTrue(input: unknown, key: string): boolean {
  return memberOf(input, key) === true;
}
