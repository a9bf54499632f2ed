/** server.json of the MCP registry, "Input". */
export interface EntryInput {
  /** Name of the variable, argument or header, or of the `{name}` in one, by which users know it. */
  readonly name: string;
  /** The entry's own name, if it differs. */
  readonly alias?: string;
  /** Whether `{name}` stays in the text without a value: the entry neither defines nor requires it. */
  readonly isOptionalText?: true;
  readonly description: string | undefined;
  readonly isRequired: boolean;
  readonly isSecret: boolean;
  readonly default: string | undefined;
  readonly placeholder: string | undefined;
  /** Empty for any value. */
  readonly choices: readonly string[];
  readonly format: string;
}

/** `{name}` refers to the input of that name; without one it is literal. */
export interface Template {
  readonly text: string;
  readonly inputs: readonly EntryInput[];
}

export type Answers = ReadonlyMap<string, string>;

const PLACE = /\{([^{}]+)\}/g;

/**
 * Replaces each input once; values are not searched for inputs. Undefined when a required input has no value.
 */
export function fillTemplate({ text, inputs }: Template, answers: Answers): string | undefined {
  const byName = new Map(inputs.map((input) => [input.name, input]));
  let isWhole = true;
  const filled = text.replaceAll(PLACE, (whole, name: string) => {
    const input = byName.get(name);
    if (input === undefined) return whole;
    const value = answers.get(name) ?? input.default;
    if (value === undefined && input.isOptionalText === true) return whole;
    if (value === undefined) isWhole = false;
    return value ?? '';
  });
  return isWhole ? filled : undefined;
}
