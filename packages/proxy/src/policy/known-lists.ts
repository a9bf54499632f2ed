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

/** Shorter ones are read as fast as they are found again. */
const LEAST_CHARACTERS = 4096;
/** Of all results together; what is parsed of them takes some times as much. */
const MAX_CHARACTERS = 2 * 1024 * 1024;
const MAX_RESULTS = 16;
/** Of everything beside the result. */
const MAX_ENVELOPE = 1024;

/** Whose results are the same from one request to the next. */
const LISTS: ReadonlySet<string> = new Set([
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
]);

interface KnownResult {
  /** Of the result alone: an object that was read, without ambiguity. */
  readonly text: string;
  readonly value: JsonRecord;
}

/**
 * Lists that a server has given before, character by character: each was parsed and looked
 * through once, and is not again, whatever id it comes with. Frozen, so that all may have
 * the same. Bounded in number and size; what was not asked for longest goes first.
 */
export class KnownLists {
  /** Those that were used last stand first. */
  readonly #results: KnownResult[] = [];
  readonly #values = new WeakSet<object>();

  /** What a text stands for, where the result in it is known and everything around it is unambiguous. */
  recall(text: string): JsonRecord | undefined {
    const [first] = this.#results;
    if (first === undefined || text.length < LEAST_CHARACTERS) return undefined;
    const start = startOfResult(text);
    const at = start < 0 ? -1 : this.#results.findIndex((known) => isThere(known, text, start));
    const known = this.#results[at];
    if (known === undefined) return undefined;
    // Valid with `null` in its place, the text is valid with any other value there.
    const envelope = `${text.slice(0, start)}null${text.slice(start + known.text.length)}`;
    const around = parse(envelope);
    if (!isJsonObject(around) || findAmbiguity(envelope) !== undefined) return undefined;
    if (findStart(envelope, 0, 'result') !== start) return undefined;
    if (at > 0) this.#results.unshift(...this.#results.splice(at, 1));
    return { ...around, result: known.value };
  }

  /** Whether the result of an answer was recalled, or is remembered: then the whole answer is unambiguous. */
  knows(answer: unknown): boolean {
    const result: unknown = isJsonObject(answer) ? answer['result'] : undefined;
    return typeof result === 'object' && result !== null && this.#values.has(result);
  }

  /** Remembers the result of an unambiguous answer, if it is a list. */
  remember(answer: Message, { message: asked }: ClientExchange): void {
    if (answer.kind !== 'response' || asked?.kind !== 'request' || !LISTS.has(asked.method)) return;
    const { text, result } = answer;
    if (!isJsonObject(result) || this.knows(answer) || !isKept(text)) return;
    const span = findValue(text, ['result']);
    if (span === undefined) return;
    viewOf(answer); // which freezes it
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

/** Where it seems to begin; whether it does is seen later. */
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
    return undefined; // which is no message
  }
}
