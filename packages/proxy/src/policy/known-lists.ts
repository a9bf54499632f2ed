import {
  findAmbiguity,
  findStart,
  findValue,
  skipBlanks,
  isJsonObject,
  type JsonRecord,
  type Message,
  type ResponseMessage,
} from '@portolan/mcp-protocol';
import type { ClientExchange } from '@portolan/plugin-api';
import { viewOf } from './message-view.ts';

/** Minimum size in characters of a cached result. Parsing a shorter one is as fast as a lookup. */
const LEAST_CHARACTERS = 4096;
/** Maximum size of all cached results in characters. Their parsed form uses several times as much memory. */
const MAX_CHARACTERS = 4 * 1024 * 1024;
const MAX_RESULTS = 16;
const MAX_ENVELOPE = 1024;

/** Methods whose results rarely change. */
const LISTS: ReadonlySet<string> = new Set([
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
]);

interface KnownResult {
  readonly text: string;
  readonly value: JsonRecord;
}

/**
 * LRU cache of a server's lists by their text, so that each is checked once. Results are frozen, because
 * callers share them.
 */
export class KnownLists {
  readonly #results: KnownResult[] = [];
  readonly #values = new WeakSet<object>();

  /** Returns the parsed message if its result is cached and the rest of the message is unambiguous. */
  recall(text: string): JsonRecord | undefined {
    const [first] = this.#results;
    if (first === undefined || text.length < LEAST_CHARACTERS) return undefined;
    const start = startOfResult(text);
    const at = start < 0 ? -1 : this.#results.findIndex((known) => isThere(known, text, start));
    const known = this.#results[at];
    if (known === undefined) return undefined;
    // If the text is valid with `null` in place of the result, it is valid with the result.
    const envelope = `${text.slice(0, start)}null${text.slice(start + known.text.length)}`;
    const around = parse(envelope);
    if (!isJsonObject(around) || findAmbiguity(envelope) !== undefined) return undefined;
    if (findStart(envelope, 0, 'result') !== start) return undefined;
    if (at > 0) this.#results.unshift(...this.#results.splice(at, 1));
    return { ...around, result: known.value };
  }

  /** Returns a response with its cached result. Undefined when it has none. */
  recallIn(message: Message): ResponseMessage | undefined {
    if (message.kind !== 'response' || message.isError || this.knows(message)) return undefined;
    const recalled = this.recall(message.text);
    return recalled === undefined ? undefined : { ...message, result: recalled['result'] };
  }

  /** Returns whether a response contains a cached result. Such a response has been checked for ambiguity. */
  knows(response: unknown): boolean {
    const result: unknown = isJsonObject(response) ? response['result'] : undefined;
    return typeof result === 'object' && result !== null && this.#values.has(result);
  }

  remember(answer: Message, { message }: ClientExchange): void {
    if (answer.kind !== 'response' || message?.kind !== 'request' || !LISTS.has(message.method)) return;
    const { text, result } = answer;
    if (!isJsonObject(result) || this.knows(answer) || !isKept(text)) return;
    const span = findValue(text, ['result']);
    if (span === undefined) return;
    viewOf(answer);
    this.#results.unshift({ text: text.slice(span.start, span.end), value: result });
    this.#values.add(result);
    let characters = 0;
    const most = this.#results.findIndex((known) => (characters += known.text.length) > MAX_CHARACTERS);
    this.#results.splice(most < 0 ? MAX_RESULTS : Math.min(most, MAX_RESULTS));
  }
}

function isKept({ length }: ResponseMessage['text']): boolean {
  return length >= LEAST_CHARACTERS && length <= MAX_CHARACTERS / 4;
}

function startOfResult(text: string): number {
  const named = text.slice(0, MAX_ENVELOPE).indexOf('"result"');
  if (named < 0) return -1;
  const colon = skipBlanks(text, named + '"result"'.length);
  const start = skipBlanks(text, colon + 1);
  return text[colon] === ':' && text[start] === '{' ? start : -1;
}

function isThere({ text: known }: KnownResult, text: string, start: number): boolean {
  const around = text.length - known.length;
  return around >= start && around <= MAX_ENVELOPE && text.startsWith(known, start);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
