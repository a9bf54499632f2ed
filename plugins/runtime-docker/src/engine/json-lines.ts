import type { Readable } from 'node:stream';

/**
 * The objects of a stream with one JSON value a line, as pulls, builds and
 * events send them. Ends with the stream and rejects with its error; when the
 * reader stops early the stream is destroyed. Throws SyntaxError for a line
 * that is no JSON.
 */
export async function* readJsonLines(stream: Readable): AsyncGenerator<Readonly<Record<string, unknown>>> {
  let rest = '';
  const decoder = new TextDecoder();
  try {
    for await (const chunk of stream) {
      // A stream of an HTTP answer without encoding gives bytes.
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
  yield value as Readonly<Record<string, unknown>>; // an object's keys are texts, its values unknown
}
