/**
 * The subset of JSON Schema (2020-12) for configuration blocks. One literal defines validation, the type
 * inside `create`, the reference table, editor completion and redaction in logs.
 */
export interface ConfigBlock {
  readonly type: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean';
  readonly title?: string;
  readonly description?: string;
  readonly properties?: Readonly<Record<string, ConfigBlock>>;
  readonly required?: readonly string[];
  /** Schema of each value, only for maps with free keys. Without it, unknown keys are errors. */
  readonly additionalProperties?: ConfigBlock;
  readonly items?: ConfigBlock;
  readonly minItems?: number;
  readonly uniqueItems?: boolean;
  readonly enum?: readonly (string | number)[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  /** `duration` is a Go duration: `90s`, `1h30m`. */
  readonly format?: 'uri' | 'duration' | 'date-time' | 'path';
  /** Groups of keys of which exactly one must be present. */
  readonly oneOfKeys?: readonly (readonly string[])[];
  /** Keys of which at least one is required. The problem of a block without them names the first. */
  readonly anyOfKeys?: readonly string[];
  /**
   * Never printed. `${NAME}` in the value is replaced by the environment variable, and `file:PATH` by the
   * trimmed content of that file.
   */
  readonly secret?: boolean;
  readonly examples?: readonly unknown[];
}

/** Type of a value that a block accepts, with defaults. */
export type ConfigOf<S> = S extends { readonly enum: readonly (infer Choice)[] }
  ? Choice
  : S extends { readonly type: 'string' }
    ? string
    : S extends { readonly type: 'integer' | 'number' }
      ? number
      : S extends { readonly type: 'boolean' }
        ? boolean
        : S extends { readonly type: 'array'; readonly items: infer Item }
          ? readonly ConfigOf<Item>[]
          : S extends { readonly properties: infer P }
            ? { readonly [K in keyof P as K extends Present<S, P> ? K : never]: ConfigOf<P[K]> } & {
                readonly [K in keyof P as K extends Present<S, P> ? never : K]?: ConfigOf<P[K]>;
              }
            : S extends { readonly additionalProperties: infer Value }
              ? { readonly [key: string]: ConfigOf<Value> }
              : S extends { readonly type: 'object' }
                ? { readonly [key: string]: never }
                : never;

type Present<S, P> =
  | (S extends { readonly required: readonly (infer Name)[] } ? Name : never)
  | { [K in keyof P]: P[K] extends { readonly default: unknown } ? K : never }[keyof P];
