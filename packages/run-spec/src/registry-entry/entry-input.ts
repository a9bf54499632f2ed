/** Input of a `server.json` document, as the MCP registry defines it. */
export interface EntryInput {
  /**
   * Name that users give a value by: that of the variable, argument or header, or the `{name}` in its text.
   */
  readonly name: string;
  /** Name in the entry, if it differs from `name`. */
  readonly alias?: string;
  /**
   * Whether `{name}` stays in the text when it has no value, because the entry neither defines nor requires
   * it.
   */
  readonly isOptionalText?: true;
  readonly description: string | undefined;
  readonly isRequired: boolean;
  readonly isSecret: boolean;
  readonly default: string | undefined;
  readonly placeholder: string | undefined;
  /** Allowed values; empty when any value is allowed. */
  readonly choices: readonly string[];
  readonly format: string;
}

/**
 * Text in which `{name}` represents the value of the input of that name. A `{name}` without such an input is
 * literal.
 */
export interface Template {
  readonly text: string;
  readonly inputs: readonly EntryInput[];
}

export type Answers = ReadonlyMap<string, string>;

const PLACE = /\{([^{}]+)\}/g;

/**
 * Fills in the inputs, each once. Values are not searched for further inputs. Undefined when a required input
 * has no value.
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
