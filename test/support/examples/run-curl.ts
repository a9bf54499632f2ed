import { expect } from 'chai';
import { expectJson, expectText } from './match-response.ts';
import type { Answer } from './read-steps.ts';

/** Placeholder in a README for the ETag of the last response. */
const LAST_TAG = '"…"';

/** Addresses in the sample may differ from those of the test. */
export interface Reading {
  used(text: string): string;
  shown(text: string): string;
}

interface Request {
  readonly url: string;
  readonly method: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string | undefined;
  /** Whether the sample includes the status line and headers of the response. */
  readonly include: boolean;
}

/**
 * Sends the requests of `curl` commands in a README and compares the responses. It supports `-i`, `-X`, `-H`
 * and `--json`, and throws for other options. `"…"` in `If-Match` is the ETag of the last response from the
 * same address.
 */
export class Curl {
  readonly #tags = new Map<string, string>();

  /** Returns true if a command only reads, so that it can be repeated. */
  isRead(words: readonly string[]): boolean {
    return readCommand(words).method === 'GET';
  }

  async run(words: readonly string[], { form, text }: Answer, reading: Reading): Promise<void> {
    const { url, method, headers: inputs, body, include } = readCommand(words);
    expect(include, '-i shows the head of the answer: use an http block').to.equal(form === 'http');
    const tag = this.#tags.get(url) ?? 'none answered before';
    const headers = [...inputs].map(([name, value]): [string, string] => [
      name,
      value === LAST_TAG ? tag : value,
    ]);
    const init = { method, headers, ...(body === undefined ? {} : { body }) };
    const response = await fetch(reading.used(url), init);
    const answered = reading.shown(await response.text());
    this.#tags.set(url, response.headers.get('etag') ?? tag);
    const shown = form === 'http' ? readHttp(text) : { status: 200, headers: [], body: text };
    expect(response.status, `status, with ${answered}`).to.equal(shown.status);
    for (const [name, value] of shown.headers) expectText(response.headers.get(name) ?? '', value);
    if (shown.body === '' && answered === '') return;
    expectJson(JSON.parse(answered), JSON.parse(shown.body));
  }
}

function readCommand(words: readonly string[]): Request {
  const headers = new Map<string, string>();
  let include = false;
  let url: string | undefined;
  let body: string | undefined;
  let method: string | undefined;
  for (let index = 1; index < words.length; index += 1) {
    const word = words[index] ?? '';
    const value = (): string => words[(index += 1)] ?? '';
    if (word === '-i') include = true;
    else if (word === '-X') method = value();
    else if (word === '-H') headers.set(...splitHeader(value()));
    else if (word === '--json') {
      body = value();
      headers.set('Content-Type', 'application/json');
    } else if (!word.startsWith('-') && url === undefined) url = word;
    else throw new Error(`"${word}" is not known: ${words.join(' ')}`);
  }
  if (url === undefined) throw new Error(`no address: ${words.join(' ')}`);
  return { url, headers, include, body, method: method ?? (body === undefined ? 'GET' : 'POST') };
}

function readHttp(text: string): {
  status: number;
  headers: readonly (readonly [string, string])[];
  body: string;
} {
  const [head = '', body = ''] = text.split(/\n\n(.*)/s);
  const [first = '', ...lines] = head.split('\n');
  return { status: Number(first.split(' ')[1]), headers: lines.map(splitHeader), body };
}

function splitHeader(line: string): [string, string] {
  const [name = '', value = ''] = line.split(/:\s*(.*)/s);
  return [name, value];
}
