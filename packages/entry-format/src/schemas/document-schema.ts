/**
 * A JSON Schema (2020-12). `x-expected` says in words what a pattern or a choice
 * asks for, for messages.
 */
export type DocumentSchema = Readonly<Record<string, unknown>>;
