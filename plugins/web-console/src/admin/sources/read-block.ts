import { linesOf } from '../forms/form.ts';
import type { JsonSchema } from '../parts/api-responses.ts';
import { blockField, settingsOf, shapeOf } from './block-fields.ts';

/** Parses the fields of a block, and returns problems by field. Leaves out empty fields. */
export function readBlock(
  schema: JsonSchema,
  form: URLSearchParams,
): {
  readonly block: Readonly<Record<string, unknown>>;
  readonly problems: ReadonlyMap<string, readonly string[]>;
} {
  const problems = new Map<string, readonly string[]>();
  const block: Record<string, unknown> = {};
  for (const { path, keys, schema: one } of settingsOf(schema)) {
    const name = blockField(path);
    const text = form.get(name)?.trim() ?? '';
    if (text === '') continue;
    const read = readValue(one, text);
    if (typeof read === 'string') problems.set(name, [read]);
    else put(block, keys, read.value);
  }
  return { block, problems };
}

function put(block: Record<string, unknown>, [key = '', ...below]: readonly string[], value: unknown): void {
  if (below.length === 0) {
    block[key] = value;
    return;
  }
  // SAFETY: this function alone puts maps there.
  const inner = (block[key] ??= {}) as Record<string, unknown>;
  put(inner, below, value);
}

/**
 * Parses one field. Returns a string if it cannot. A malformed number stays text, which the API refuses with
 * its own message.
 */
function readValue(schema: JsonSchema, text: string): { readonly value: unknown } | string {
  switch (shapeOf(schema)) {
    case 'lines':
      return { value: linesOf(text) };
    case 'pairs':
      return readPairs(linesOf(text));
    case 'switch':
      return { value: text === 'true' ? true : text === 'false' ? false : text };
    case 'number':
      return { value: /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text };
    case 'json':
      try {
        return { value: JSON.parse(text) };
      } catch {
        return 'This is not JSON.';
      }
    case 'choice':
    case 'long':
    case 'text':
    default:
      return { value: text };
  }
}

function readPairs(lines: readonly string[]): { readonly value: unknown } | string {
  const pairs = lines.map((line): [string, string] => {
    const at = line.indexOf(':');
    return [line.slice(0, Math.max(at, 0)).trim(), line.slice(at + 1).trim()];
  });
  const wrong = pairs.findIndex(([name]) => name === '');
  return wrong < 0
    ? { value: Object.fromEntries(pairs) }
    : `Line ${wrong + 1} is not of the form Name: value.`;
}
