import type { Readable } from 'node:stream';

/**
 * Yields the objects of a stream of JSON lines. Rejects with the stream's error. Stopping early destroys the
 * stream. Throws SyntaxError for an invalid line.
 */
export async function* readJsonLines(stream: Readable): AsyncGenerator<Readonly<Record<string, unknown>>> {
  let rest = '';
  const decoder = new TextDecoder();
  try {
    for await (const chunk of stream) {
      // Chunks are bytes, because the HTTP response has no encoding set.
      const text = rest + decoder.decode(chunk as Uint8Array, { stream: true });
      const lines = text.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) yield* parseLine(line);
    }
    yield* parseLine(rest);
  } finally {
    stream.destroy();
  }
}

function* parseLine(line: string): Generator<Readonly<Record<string, unknown>>> {
  if (line.trim() === '') return;
  const value: unknown = JSON.parse(line);
  if (typeof value !== 'object' || value === null)
    throw new SyntaxError(`found ${line.slice(0, 80)}; expected an object`);
  yield value as Readonly<Record<string, unknown>>; // an object with string keys and unknown values
}
