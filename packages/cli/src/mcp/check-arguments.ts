import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';

/** What is wrong with a value by a schema, one fault each with its place; none when it fits. */
export type FindFaults = (value: unknown) => readonly string[];

/**
 * The check that a server's schema asks for, by the dialect that it declares.
 * `whole` is how the value is called in faults. A schema that is none is said in
 * `unusable`, and lets everything pass: the server judges in any case.
 */
export function faultFinder(
  schema: Readonly<Record<string, unknown>>,
  whole: string,
): { readonly find: FindFaults; readonly unusable: string | undefined } {
  try {
    const validate = new AjvJsonSchemaValidator().getValidator(schema);
    const find: FindFaults = (value) => {
      const { valid, errorMessage } = validate(value);
      if (valid) return [];
      // As the library joins them.
      return errorMessage.split(/, (?=data[ /])/).map((text) => text.replace(/^data(?=[ /])/, whole));
    };
    return { find, unusable: undefined };
  } catch (error) {
    return { find: () => [], unusable: error instanceof Error ? error.message : String(error) };
  }
}
