import { expect } from 'chai';
import { expectJson, expectText } from './match-response.ts';
import type { Answer } from './read-steps.ts';

/** What a README writes for the ETag answered last. */
const LAST_TAG = '"…"';

/** Between what is shown and what is: addresses differ from run to run. */
export interface Reading {
  used(text: string): string;
  shown(text: string): string;
}

interface Request {
  readonly url: string;
  readonly method: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string | undefined;
  /** Whether the head of the answer is shown too. */
  readonly include: boolean;
}

/**
 * Sends the requests that `curl` commands of a README stand for, and compares
 * the answers. Knows `-i`, `-X`, `-H` and `--json`; throws for more. `"…"` in
 * `If-Match` stands for the ETag that the same address has answered last.
 */
export class Curl {
  readonly #tags = new Map<string, string>();

  /** Whether a command only reads, so that it can be repeated. */
  isRead(words: readonly string[]): boolean {
    return readCommand(words).method === 'GET';
  }

  async run(words: readonly string[], { form, text }: Answer, reading: Reading): Promise<void> {
    const { url, method, headers: given, body, include } = readCommand(words);
    expect(include, '-i shows the head of the answer: use an http block').to.equal(form === 'http');
    const tag = this.#tags.get(url) ?? 'none answered before';
    const headers = [...given].map(([name, value]): [string, string] => [
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
