/** Maximum bytes of a slice, so that processing one does not block the event loop for long. */
const SLICE_BYTES = 16 * 1024;
const SLICE_CHARACTERS = 4 * 1024;

/** Yields slices of at most 16 KiB, with text as UTF-8, including characters that span two chunks. */
export async function* byteSlices(chunks: AsyncIterable<Uint8Array | string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  let rest = '';
  for await (const chunk of chunks) {
    if (typeof chunk !== 'string') {
      yield* byteSlicesOf(chunk);
      continue;
    }
    const text = rest + chunk;
    let start = 0;
    while (start < text.length) {
      const end = endOfSlice(text, start);
      if (end === start) break;
      yield encoder.encode(text.slice(start, end));
      start = end;
    }
    rest = text.slice(start);
  }
  if (rest !== '') yield encoder.encode(rest);
}

export function* byteSlicesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length; start += SLICE_BYTES)
    yield bytes.subarray(start, start + SLICE_BYTES);
}

/** Returns where a slice of a text ends. Never splits a surrogate pair. */
function endOfSlice(text: string, start: number): number {
  const end = Math.min(start + SLICE_CHARACTERS, text.length);
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}
