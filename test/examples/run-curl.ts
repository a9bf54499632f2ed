import { expect } from 'chai';
import { expectJson } from './match-answer.ts';
import type { Answer } from './read-steps.ts';
import { splitWords } from './read-steps.ts';

/** The address that READMEs show. */
const SHOWN = 'http://127.0.0.1:8080';

/**
 * Sends the request that a `curl` command of a README stands for, to another
 * address, and compares the answer. Knows `-i` and `-H`; throws for more.
 */
export async function runCurl(command: string, { form, text }: Answer, address: string): Promise<void> {
  const { url, headers, include } = readCommand(command);
  const response = await fetch(url.replace(SHOWN, address), { headers });
  const body = (await response.text()).replaceAll(address, SHOWN);
  expect(include, '-i shows the head of the answer: use an http block').to.equal(form === 'http');
  const shown = form === 'http' ? readHttp(text) : { status: 200, headers: [], body: text };
  expect(response.status, 'status').to.equal(shown.status);
  for (const [name, value] of shown.headers) expect(response.headers.get(name), name).to.equal(value);
  expectJson(JSON.parse(body), JSON.parse(shown.body));
}

function readCommand(command: string): { url: string; headers: Headers; include: boolean } {
  const [, ...words] = splitWords(command);
  const headers = new Headers();
  let include = false;
  let url: string | undefined;
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] ?? '';
    if (word === '-i') include = true;
    else if (word === '-H') headers.append(...splitHeader(words[(index += 1)] ?? ''));
    else if (!word.startsWith('-') && url === undefined) url = word;
    else throw new Error(`"${word}" is not known: ${command}`);
  }
  if (!url?.startsWith(SHOWN)) throw new Error(`expected an address below ${SHOWN}: ${command}`);
  return { url, headers, include };
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
