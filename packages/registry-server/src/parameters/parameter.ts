import type { ConfigBlock, ConfigOf } from '@portolan/plugin-api';

/** Validates and documents the parameter. */
export interface Parameter {
  readonly description: string;
  /** Name in error messages, for people who never wrote the path. */
  readonly called?: string;
  readonly schema: ConfigBlock;
  /** Always present, like path parameters. */
  readonly required?: true;
  /** Larger numbers count as this one. */
  readonly cap?: number;
  /** Used where the schema alone would be unclear. */
  readonly expected?: string;
  /** An empty value would otherwise count as absent and do more than intended. */
  readonly refusesEmpty?: true;
  /** Compared in lower case, as the schema lists it. */
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
  /** Equal for equal values, however the request wrote them. */
  readonly key: string;
}

/** Returns the end of a sentence. */
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
