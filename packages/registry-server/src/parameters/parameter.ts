import type { ConfigBlock, ConfigOf } from '@portolan/plugin-api';

/** A parameter of a path or a query: what checks it is what documents it. */
export interface Parameter {
  readonly description: string;
  /** Of a path parameter: what a refusal calls it, for people who never wrote its name. */
  readonly called?: string;
  readonly schema: ConfigBlock;
  /** Always there, as path parameters are. */
  readonly required?: true;
  /** A larger number counts as this one. */
  readonly cap?: number;
  /** What is accepted, in words, where the schema alone would read badly. */
  readonly expected?: string;
  /** Empty is a fault, where it would count as left out and that would be more than was meant. */
  readonly refusesEmpty?: true;
  /** Compared in lower case, as the schema lists it. */
  readonly ignoresCase?: true;
}

export type ParameterTable = Readonly<Record<string, Parameter>>;

/** The values of a table's parameters, defaults filled in. */
export type ValuesOf<T extends ParameterTable> = {
  readonly [Name in keyof T]: T[Name] extends
    | { readonly required: true }
    | { readonly schema: { readonly default: unknown } }
    ? ConfigOf<T[Name]['schema']>
    : ConfigOf<T[Name]['schema']> | undefined;
};

/** The checked parameters of one request, and the tables they were checked against. */
export interface Parameters {
  readonly pathTable: ParameterTable;
  readonly path: Readonly<Record<string, unknown>>;
  readonly queryTable: ParameterTable;
  readonly query: Readonly<Record<string, unknown>>;
  /** The same text for the same values, however the request wrote them. */
  readonly key: string;
}

/** What a parameter accepts, as the end of a sentence. */
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
