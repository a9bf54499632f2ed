import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';

/** Validates a value against a schema. Returns one text per fault, with its place; none for a valid value. */
export type FindFaults = (value: unknown) => readonly string[];

/**
 * Creates the validator of a server's schema, in the JSON Schema dialect that it declares. `whole` names the
 * value in faults. `unusable` is the fault of an invalid schema, which then accepts every value, because the
 * server validates too.
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
      // Split where the library joins the faults.
      return errorMessage.split(/, (?=data[ /])/).map((text) => text.replace(/^data(?=[ /])/, whole));
    };
    return { find, unusable: undefined };
  } catch (error) {
    return { find: () => [], unusable: error instanceof Error ? error.message : String(error) };
  }
}
