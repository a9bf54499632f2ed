import { StringDecoder } from 'node:string_decoder';

/** Maximum length of a line; the rest is cut off. */
const MAX_LINE_LENGTH = 16 * 1024;

export async function* readLines(stream: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  for await (const chunk of stream) {
    const [first = '', ...lines] = decoder.write(Buffer.from(chunk)).split('\n');
    rest = (rest + first).slice(0, MAX_LINE_LENGTH);
    for (const line of lines) {
      yield rest.replace(/\r$/, '');
      rest = line.slice(0, MAX_LINE_LENGTH);
    }
  }
  rest += decoder.end();
  if (rest !== '') yield rest;
}
