import {
  batchInvalid,
  messageAmbiguous,
  messageInvalid,
  messageNotJson,
  messageTooComplex,
} from '../errors/message-errors.ts';
import { META } from '../revisions/reserved-keys.ts';
import { findExcess, MAX_CLIENT_NODES, MAX_ELEMENTS, MAX_SERVER_NODES } from './count-values.ts';
import { findAmbiguity, findRoutingAmbiguity, MAX_LEVELS } from './find-ambiguity.ts';
import { decodeString, elementsOf, findValue } from './json-text.ts';
import { isJsonObject, type JsonRecord, memberOf, type Message, type MessageId, metaOf } from './message.ts';

/** What a client may post. */
export type ClientBody =
  | { readonly form: 'message'; readonly message: Message }
  /** Not looked into yet: whether a batch may be read depends on the session. */
  | { readonly form: 'batch'; readonly text: string };

/** Most elements of a batch. */
const MAX_BATCH_MESSAGES = 50;

/** Reason why `parseServerMessage` does not parse a message with too many values. */
export const TOO_MANY_VALUES = `it has more than ${MAX_SERVER_NODES} objects, lists and names, or more than ${MAX_ELEMENTS} elements`;

/** Of revisions with a handshake alone: where a request describes itself, there is no such method. */
const LEGACY_METHODS = ['resources/subscribe', 'resources/unsubscribe'];

/** Methods whose `params` name what they are about; a policy has to be able to read it. */
const NEEDED_TEXTS: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['resources/subscribe', 'uri'],
  ['resources/unsubscribe', 'uri'],
]);

/**
 * Reads the body of a POST, which nobody has looked at before. Throws
 * ERR_MESSAGE_NOT_JSON, ERR_MESSAGE_AMBIGUOUS and ERR_MESSAGE_INVALID, and
 * ERR_MESSAGE_TOO_LARGE for a message with too many values, which is not parsed.
 */
export function parseClientBody(body: Uint8Array): ClientBody {
  const text = decodeBody(body);
  checkAmount(text);
  // JavaScript's idea of blanks, wider than JSON's: what only looks like a batch is refused as one.
  if (text.trimStart().startsWith('[')) return { form: 'batch', text };
  return { form: 'message', message: parseClientMessage(text) };
}

/**
 * The messages of a batch (2025-03-26), each checked like a message of its own.
 * Throws ERR_MESSAGE_INVALID and what parseClientBody throws.
 */
export function parseBatch(text: string): readonly Message[] {
  try {
    JSON.parse(text);
  } catch (error) {
    throw batchInvalid('it is not valid JSON', error);
  }
  const parts = [...elementsOf(text, 0)];
  if (parts.length === 0) throw batchInvalid('it is empty');
  if (parts.length > MAX_BATCH_MESSAGES)
    throw batchInvalid(`it has more than ${MAX_BATCH_MESSAGES} messages`);
  const messages = parts.map(({ start, end }) => parseClientMessage(text.slice(start, end)));
  if (messages.some((message) => message.kind !== 'response' && message.method === 'initialize')) {
    throw batchInvalid('"initialize" has to be sent alone');
  }
  const kinds = new Set(messages.map(({ kind }) => kind));
  if (kinds.has('request') && kinds.has('response')) throw batchInvalid('it mixes requests and responses');
  const ids = messages.flatMap((message) => (message.kind === 'request' ? [message.id.key] : []));
  if (new Set(ids).size < ids.length) throw batchInvalid('two of its requests have the same id');
  return messages;
}

/**
 * Reads one message of a server. What cannot be understood comes back as a
 * sentence about the fault: a server's output is not to stop anything. `known` is
 * what the text stands for, where somebody has parsed it already, and `isUnambiguous`
 * says that somebody has seen that there is but one way to read it.
 */
export function parseServerMessage(text: string, known?: unknown, isUnambiguous = false): Message | string {
  if (known === undefined && isTooMuch(text)) return TOO_MANY_VALUES;
  const value = known ?? parseJson(text);
  if (value === undefined) return 'it is not a JSON object';
  if (!isJsonObject(value)) return 'it is not an object';
  return (isUnambiguous ? undefined : findRoutingAmbiguity(text)) ?? readMessage(text, value);
}

/** Whether a server wrote a batch; its elements as texts when it did. */
export function splitServerBatch(text: string): readonly string[] | undefined {
  if (!text.trimStart().startsWith('[') || isTooMuch(text)) return undefined;
  if (!Array.isArray(parseJson(text))) return undefined;
  return [...elementsOf(text, 0)].map(({ start, end }) => text.slice(start, end));
}

/** The id that a raw JSON text stands for; undefined when it can be none. */
export function readId(text: string): MessageId | undefined {
  if (text.startsWith('"')) return { text, key: `s${decodeString(text)}` };
  if (/^-?[0-9]/.test(text) && Number.isInteger(Number(text))) return { text, key: `n${digitsOf(text)}` };
  return undefined;
}

/** The digits of an integer: a server may write `100` for the `1e2` of a client. Beyond what a number holds, as they are. */
function digitsOf(text: string): string {
  const value = Number(text);
  return Number.isSafeInteger(value) ? String(BigInt(value)) : text;
}

/** The id of what could otherwise not be used, for the answer that says so. */
export function findId(text: string): MessageId | undefined {
  const span = findValue(text, ['id']);
  return span === undefined ? undefined : readId(text.slice(span.start, span.end));
}

/** Maximum number of levels of any message that is not refused as ambiguous. */
const MAX_TOTAL_LEVELS = MAX_LEVELS.outsideArguments + MAX_LEVELS.insideArguments;

function checkAmount(text: string): void {
  const excess = findExcess(text, MAX_CLIENT_NODES, MAX_TOTAL_LEVELS);
  if (excess === 'levels') throw messageAmbiguous(`it is nested deeper than ${MAX_TOTAL_LEVELS} levels`);
  if (excess === 'values') throw messageTooComplex();
}

const STRICT = new TextDecoder('utf-8', { fatal: true });

function decodeBody(body: Uint8Array): string {
  try {
    return STRICT.decode(body);
  } catch (error) {
    throw messageNotJson('it is not UTF-8', error);
  }
}

/** Reads one message of a client. Throws what parseClientBody throws. */
export function parseClientMessage(text: string): Message {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw messageNotJson(text.trim() === '' ? 'it is empty' : 'it is not JSON', error);
  }
  if (!isJsonObject(value)) throw messageInvalid('it is not an object');
  const ambiguity = findAmbiguity(text);
  if (ambiguity !== undefined) throw messageAmbiguous(ambiguity);
  const message = readMessage(text, value);
  if (typeof message === 'string') throw messageInvalid(message, findId(text));
  const fault = message.kind === 'request' ? findNeededText(message.method, message.params) : undefined;
  if (fault !== undefined) throw messageInvalid(fault, findId(text));
  return message;
}

function findNeededText(method: string, params: JsonRecord | undefined): string | undefined {
  const needed = NEEDED_TEXTS.get(method);
  if (needed === undefined || typeof memberOf(params, needed) === 'string') return undefined;
  const meta = metaOf(params);
  const claims = meta !== undefined && Object.hasOwn(meta, META.claim);
  if (claims && LEGACY_METHODS.includes(method)) return undefined;
  return `"params.${needed}" is not a string`;
}

/** The message, or what keeps it from being one. */
function readMessage(text: string, value: JsonRecord): Message | string {
  if (memberOf(value, 'jsonrpc') !== '2.0') return '"jsonrpc" is not "2.0"';
  const id = Object.hasOwn(value, 'id') ? findId(text) : undefined;
  if (Object.hasOwn(value, 'id') && id === undefined) return '"id" is neither a string nor an integer';
  const method = memberOf(value, 'method');
  if (method === undefined && !Object.hasOwn(value, 'method')) return readResponse(text, value, id);
  if (typeof method !== 'string') return '"method" is not a string';
  if (Object.hasOwn(value, 'result') || Object.hasOwn(value, 'error')) {
    return 'it has a method and an outcome';
  }
  const params = memberOf(value, 'params');
  if (Object.hasOwn(value, 'params') && !isJsonObject(params)) return '"params" is not an object';
  const named = { text, method, params: isJsonObject(params) ? params : undefined };
  return id === undefined ? { kind: 'notification', ...named } : { kind: 'request', id, ...named };
}

function readResponse(text: string, value: JsonRecord, id: MessageId | undefined): Message | string {
  if (id === undefined) return 'it has neither a method nor an id';
  const isError = Object.hasOwn(value, 'error');
  if (isError === Object.hasOwn(value, 'result')) return 'it has to have either a result or an error';
  const error = memberOf(value, 'error');
  if (isError && !isJsonObject(error)) return '"error" is not an object';
  const code = isJsonObject(error) ? memberOf(error, 'code') : undefined;
  const errorCode = typeof code === 'number' ? code : undefined;
  return { kind: 'response', text, id, result: memberOf(value, 'result'), errorCode, isError };
}

/** Beginning of the JSON of an object or an array. */
const JSON_START = /^[ \t\r\n]*[{[]/;

/** Returns whether a server's text has too many values to be parsed. Text that is no object or array is not counted. */
function isTooMuch(text: string): boolean {
  return JSON_START.test(text) && findExcess(text, MAX_SERVER_NODES) !== undefined;
}

/** Returns the parsed JSON of an object or array. For other text it returns undefined without the cost of an exception. */
function parseJson(text: string): unknown {
  if (!JSON_START.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // as the caller reports it
  }
}
