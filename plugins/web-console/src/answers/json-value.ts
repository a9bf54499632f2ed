/** A map of JSON; what entries hold is looked at one by one, since much of it follows no schema. */
export type JsonMap = Readonly<Record<string, unknown>>;

/** The value as a map; anything else is an empty one. */
export function mapOf(value: unknown): JsonMap {
  // SAFETY: an object that JSON.parse has made, and no list.
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonMap) : {};
}

/** The value as a list; anything else is an empty one. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The value as a text that says something; undefined for anything else. */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** Those items of a list that are texts. */
export function textsOf(value: unknown): readonly string[] {
  return listOf(value).flatMap((item) => textOf(item) ?? []);
}

/** The beginning of a text, cut between characters, with a mark where something was left out. */
export function shortened(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).replace(/[\uD800-\uDBFF]$/, '')}…`;
}
