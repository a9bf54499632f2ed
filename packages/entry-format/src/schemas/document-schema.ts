/** JSON Schema (2020-12). `x-expected` describes a pattern or choice in words, for messages. */
export type DocumentSchema = Readonly<Record<string, unknown>>;
