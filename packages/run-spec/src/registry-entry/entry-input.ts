/** Something that a registry entry wants to be told (server.json of the MCP registry, "Input"). */
export interface EntryInput {
  /** What it is asked by: the name of a variable, argument or header, or of the `{name}` in one. */
  readonly name: string;
  /** What the entry itself calls it, where that is something else. */
  readonly alias?: string;
  /** Whether `{name}` stays in the text without a value: the entry does not define it and does not require it. */
  readonly isOptionalText?: true;
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

/** What is known: values by the name of their input. */
export type Answers = ReadonlyMap<string, string>;

const PLACE = /\{([^{}]+)\}/g;

/**
 * Returns the text with every input replaced by its value, once: a value is not
 * searched for inputs. Returns undefined when an input that the text needs has no value.
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
