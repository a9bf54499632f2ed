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
import type { ClientExchange, MessageChange } from '@portolan/plugin-api';
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
  /** Last change of the result by a policy. */
  changed: KnownChange | undefined;
}

interface KnownChange {
  readonly change: MessageChange;
  readonly to: KnownResult;
}

/**
 * LRU cache of a server's lists by their text, so that each is checked once. Results are frozen, because
 * callers share them.
 */
export class KnownLists {
  readonly #results: KnownResult[] = [];
  readonly #byValue = new WeakMap<object, KnownResult>();

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
    this.#use(at);
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
    return this.#find(response) !== undefined;
  }

  /** Returns a response after a change that was the last one of its cached result. Undefined for another change. */
  changeAgain(message: Message, changes: readonly MessageChange[]): ResponseMessage | undefined {
    const known = this.#find(message);
    if (message.kind !== 'response' || known?.changed === undefined) return undefined;
    const { change, to } = known.changed;
    const [only, other] = changes;
    if (only === undefined || other !== undefined || !isSameChange(only, change)) return undefined;
    const { text } = message;
    const start = startOfResult(text);
    if (start < 0 || !isThere(known, text, start) || findStart(text, 0, 'result') !== start) return undefined;
    const end = start + known.text.length;
    this.#use(this.#results.indexOf(to));
    return { ...message, text: text.slice(0, start) + to.text + text.slice(end), result: to.value };
  }

  /** Caches the change of a cached result to another cached one. */
  rememberChange(before: Message, changes: readonly MessageChange[], after: Message): void {
    const known = this.#find(before);
    const to = this.#find(after);
    const [change, other] = changes;
    if (known === undefined || to === undefined || change === undefined || other !== undefined) return;
    // Only the result may differ: the rest of the message belongs to one request.
    if (change.path[0] === 'result') known.changed = { change: { ...change, path: [...change.path] }, to };
  }

  /** Marks a result as the one that was used last. */
  #use(at: number): void {
    if (at > 0) this.#results.unshift(...this.#results.splice(at, 1));
  }

  #find(response: unknown): KnownResult | undefined {
    const result: unknown = isJsonObject(response) ? response['result'] : undefined;
    return typeof result === 'object' && result !== null ? this.#byValue.get(result) : undefined;
  }

  remember(answer: Message, { message }: ClientExchange): void {
    if (answer.kind !== 'response' || message?.kind !== 'request' || !LISTS.has(message.method)) return;
    const { text, result } = answer;
    if (!isJsonObject(result) || this.knows(answer) || !isKept(text)) return;
    const span = findValue(text, ['result']);
    if (span === undefined) return;
    viewOf(answer);
    const known = { text: text.slice(span.start, span.end), value: result, changed: undefined };
    this.#results.unshift(known);
    this.#byValue.set(result, known);
    let characters = 0;
    const most = this.#results.findIndex((one) => (characters += one.text.length) > MAX_CHARACTERS);
    this.#results.splice(most < 0 ? MAX_RESULTS : Math.min(most, MAX_RESULTS));
    for (const one of this.#results)
      if (one.changed !== undefined && !this.#results.includes(one.changed.to)) one.changed = undefined;
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

function isSameChange(left: MessageChange, right: MessageChange): boolean {
  return (
    left.json === right.json &&
    left.path.length === right.path.length &&
    left.path.every((key, at) => key === right.path[at])
  );
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
