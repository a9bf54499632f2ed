/** Parsed value, or the error without any quotation of the text, which may be secret. */
export type JsonReading = { readonly value: unknown } | { readonly fault: string };

export function readJson(text: string): JsonReading {
  try {
    return { value: JSON.parse(text.replace(/^\uFEFF/, '')) };
  } catch (error) {
    // V8 quotes the text in some messages, and gives only a position in others.
    const place = /at position \d+(?: \(line \d+ column \d+\))?/.exec(String(error))?.[0];
    return { fault: `it is no JSON${place === undefined ? '' : ` (${place})`}` };
  }
}
