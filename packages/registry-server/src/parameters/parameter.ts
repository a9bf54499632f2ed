import type { ConfigBlock, ConfigOf } from '@portolan/plugin-api';

/** Description of a parameter, used to validate and to document it. */
export interface Parameter {
  readonly description: string;
  /** Name of the parameter in error messages. Default: its name in the path or query. */
  readonly called?: string;
  readonly schema: ConfigBlock;
  /** Whether the parameter is required. */
  readonly required?: true;
  /** Maximum of a number. A larger number counts as the maximum. */
  readonly cap?: number;
  /** What was expected, for error messages. Default: derived from the schema. */
  readonly expected?: string;
  /** Whether an empty value is an error. By default it counts as absent. */
  readonly refusesEmpty?: true;
  /** Whether the value is compared in lower case. */
  readonly ignoresCase?: true;
}

export type ParameterTable = Readonly<Record<string, Parameter>>;

/** Values of a table's parameters, with defaults. */
export type ValuesOf<T extends ParameterTable> = {
  readonly [Name in keyof T]: T[Name] extends
    | { readonly required: true }
    | { readonly schema: { readonly default: unknown } }
    ? ConfigOf<T[Name]['schema']>
    : ConfigOf<T[Name]['schema']> | undefined;
};

export interface Parameters {
  readonly pathTable: ParameterTable;
  readonly path: Readonly<Record<string, unknown>>;
  readonly queryTable: ParameterTable;
  readonly query: Readonly<Record<string, unknown>>;
  /** Text that is equal for equal values, even if requests wrote them differently. */
  readonly key: string;
}

/** Returns what is expected of a parameter, as the end of a sentence. */
export function expectedOf(parameter: Parameter): string {
  if (parameter.expected !== undefined) return parameter.expected;
  const { schema } = parameter;
  switch (schema.type) {
    case 'integer':
    case 'number':
      return `${rangeOf(schema)}${parameter.cap === undefined ? '' : ` (more counts as ${parameter.cap})`}`;
    case 'boolean':
      return 'true or false';
    case 'array':
      return `a comma-separated list of ${schema.items?.enum?.join(', ') ?? 'values'}`;
    case 'string':
    case 'object':
    default:
      if (schema.enum !== undefined) return `one of ${schema.enum.join(', ')}`;
      return schema.maxLength === undefined ? 'text' : `text of at most ${schema.maxLength} characters`;
  }
}

function rangeOf({ minimum = 0, maximum }: ConfigBlock): string {
  return maximum === undefined
    ? `a whole number from ${minimum}`
    : `a whole number from ${minimum} to ${maximum}`;
}
