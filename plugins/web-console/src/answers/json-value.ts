/** JSON object. The code checks each value of an entry, because most of them follow no schema. */
export type JsonMap = Readonly<Record<string, unknown>>;

/** Returns the value if it is an object, else an empty object. */
export function mapOf(value: unknown): JsonMap {
  // SAFETY: an object that JSON.parse has made, and no list.
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonMap) : {};
}

/** Returns the value if it is an array, else an empty array. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns the value if it is a non-blank string, else undefined. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** Returns the strings of an array. */
export function textsOf(value: unknown): readonly string[] {
  return listOf(value).flatMap((item) => textOf(item) ?? []);
}

/** Truncates a text at a character boundary and appends an ellipsis. */
export function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
