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

/** Shorter lists are parsed as fast as they are found. */
const LEAST_CHARACTERS = 4096;
/** Maximum of all results together; their parsed form takes several times as much. */
const MAX_CHARACTERS = 2 * 1024 * 1024;
const MAX_RESULTS = 16;
/** Maximum of everything around the result. */
const MAX_ENVELOPE = 1024;

/** Methods whose results rarely change between requests. */
const LISTS: ReadonlySet<string> = new Set([
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
]);

interface KnownResult {
  /** The text of the result: an unambiguous object. */
  readonly text: string;
  readonly value: JsonRecord;
}

/**
 * Caches a server's lists by their exact text, so that each is parsed and checked once, whatever id its
 * response has. Frozen, because callers share them. Limited in number and size; the least recently used is
 * removed first.
 */
export class KnownLists {
  /** The most recently used is first. */
  readonly #results: KnownResult[] = [];
  readonly #values = new WeakSet<object>();

  /**
   * Returns the parsed message of a text, if its result is cached and everything around it is unambiguous.
   */
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

  /**
   * Returns whether the result of a response was recalled or is cached: then the whole response is
   * unambiguous.
   */
  knows(answer: unknown): boolean {
    const result: unknown = isJsonObject(answer) ? answer['result'] : undefined;
    return typeof result === 'object' && result !== null && this.#values.has(result);
  }

  /** Caches the result of an unambiguous response, if it is a list. */
  remember(answer: Message, { message: asked }: ClientExchange): void {
    if (answer.kind !== 'response' || asked?.kind !== 'request' || !LISTS.has(asked.method)) return;
    const { text, result } = answer;
    if (!isJsonObject(result) || this.knows(answer) || !isKept(text)) return;
    const span = findValue(text, ['result']);
    if (span === undefined) return;
    viewOf(answer); // freezes it
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

/** Returns where the result seems to begin, which is verified later. */
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
    return undefined; // not a message
  }
}
