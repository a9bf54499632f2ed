import { badInputFormat, badInputValue } from './entry-errors.ts';
import { type Answers, fillTemplate, type Template } from './entry-input.ts';
import type { NamedValue, ServerSettings } from './server-settings.ts';

export interface InputValues {
  /** Values by name from any source: `-e`, env files, answers to questions. */
  readonly values: Answers;
  /** Names of inputs that a secret reference fills. */
  readonly secrets: ReadonlySet<string>;
  /** Stored secrets, by the name of the input that each fills. */
  readonly references?: ReadonlyMap<string, string>;
  /** Whether the user gave arguments, which replace those of the entry. */
  readonly hasArguments: boolean;
  /** Lower-case names of headers that the user gave, which replace those of the entry. */
  readonly headers?: ReadonlySet<string>;
}

export interface SecretToStore {
  readonly name: string;
  readonly target: string;
  readonly value: string;
}

export const NOTHING_GIVEN: InputValues = { values: new Map(), secrets: new Set(), hasArguments: false };

export function isWholeInput({ text }: Template, name: string): boolean {
  return text === `{${name}}`;
}

/** Returns whether an input is used in a variable, a header, an argument or the URL. */
export function isPartInput(settings: ServerSettings, name: string): boolean {
  const whole = [...settings.variables, ...settings.headers].map(({ value }) => value);
  return templatesOf(settings, NOTHING_GIVEN).some(
    ({ template }) =>
      template.inputs.some((input) => input.name === name) &&
      !(isWholeInput(template, name) && whole.includes(template)),
  );
}

export function isOpen(values: InputValues): (variable: NamedValue) => boolean {
  return ({ name, value }) =>
    !isGiven(name, values) ||
    (!values.secrets.has(name) && value.inputs.some((input) => input.isSecret && input.name === name));
}

export function isOpenHeader({ headers }: InputValues): (header: NamedValue) => boolean {
  return ({ name }) => headers?.has(name.toLowerCase()) !== true;
}

interface PlacedTemplate {
  /** Name of the variable whose whole value is this template. */
  readonly named: string | undefined;
  /** Description for messages: `the header X-Region`. */
  readonly place: string;
  readonly template: Template;
}

export function templatesOf(settings: ServerSettings, values: InputValues): readonly PlacedTemplate[] {
  const { runs, targetPort, targetPath } = settings;
  const placed = (place: string, template: Template | undefined): readonly PlacedTemplate[] =>
    template === undefined ? [] : [{ named: undefined, place, template }];
  return [
    ...settings.variables.map(({ name, value }) => ({
      named: name,
      place: `the variable ${name}`,
      template: value,
    })),
    ...(values.hasArguments ? [] : settings.args).flatMap(({ flag, value }) =>
      placed(`the argument ${flag ?? value?.text ?? ''}`, value),
    ),
    ...settings.headers
      .filter(isOpenHeader(values))
      .flatMap(({ name, value }) => placed(`the header ${name}`, value)),
    ...settings.runtime.settings.flatMap(({ argument, parts }) =>
      parts.flatMap((template) => placed(`the runtime argument ${argument}`, template)),
    ),
    ...placed('the URL', runs.form === 'remote' ? runs.url : undefined),
    ...placed('the transport URL', targetPort),
    ...placed('the transport URL', targetPath),
  ];
}

export function isGiven(name: string, { values, secrets }: InputValues): boolean {
  return values.has(name) || secrets.has(name);
}

/** Throws ERR_SETTING for a value outside of the choices or the format. */
export function checkChoices({ inputs }: Template, { values }: InputValues): void {
  for (const { name, choices, format } of inputs) {
    const value = values.get(name);
    if (value === undefined || value === '') continue;
    if (choices.length > 0 && !choices.includes(value)) throw badInputValue(name, choices);
    if (format === 'boolean' && !['true', 'false'].includes(value.toLowerCase()))
      throw badInputValue(name, ['true', 'false']);
    if (format === 'number' && !Number.isFinite(Number(value))) throw badInputFormat(name, 'a number');
  }
}

export function split(
  named: readonly NamedValue[],
  values: InputValues,
): { readonly plain: Answers; readonly secret: readonly SecretToStore[] } {
  const plain = new Map<string, string>();
  const secret: SecretToStore[] = [];
  for (const { name: target, value: template } of named) {
    const value = fillTemplate(template, values.values);
    if (value === undefined || value === '') continue;
    const secrets = template.inputs.filter(({ isSecret }) => isSecret);
    if (secrets.length === 0) {
      plain.set(target, value);
      continue;
    }
    const isAnswered = secrets.some(({ name }) => values.values.has(name));
    const name = `registry-${isAnswered ? 'user' : 'default'}-${target.toLowerCase()}`;
    secret.push({ name, target, value });
  }
  return { plain, secret };
}
