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

export type ClientBody =
  | { readonly form: 'message'; readonly message: Message }
  /** Unparsed, because the session decides whether batches are allowed. */
  | { readonly form: 'batch'; readonly text: string };

const MAX_BATCH_MESSAGES = 50;

export const TOO_MANY_VALUES = `it has more than ${MAX_SERVER_NODES} objects, lists and names, or more than ${MAX_ELEMENTS} elements`;

const LEGACY_METHODS = ['resources/subscribe', 'resources/unsubscribe'];

/** Required string members of `params` by method. Policies decide by these strings. */
const NEEDED_TEXTS: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['resources/subscribe', 'uri'],
  ['resources/unsubscribe', 'uri'],
]);

/**
 * Parses the body of a POST. Throws ERR_MESSAGE_NOT_JSON, ERR_MESSAGE_AMBIGUOUS, ERR_MESSAGE_INVALID, and
 * ERR_MESSAGE_TOO_LARGE for too many values, before parsing.
 */
export function parseClientBody(body: Uint8Array): ClientBody {
  const text = decodeBody(body);
  checkAmount(text);
  // `trimStart` removes more characters than JSON whitespace. A text that only looks like a batch fails as
  // one.
  if (text.trimStart().startsWith('[')) return { form: 'batch', text };
  return { form: 'message', message: parseClientMessage(text) };
}

/**
 * Parses a batch (2025-03-26) and checks each message. Throws ERR_MESSAGE_INVALID, and the errors of
 * `parseClientBody`.
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
    throw batchInvalid('"initialize" must be sent alone');
  }
  const kinds = new Set(messages.map(({ kind }) => kind));
  if (kinds.has('request') && kinds.has('response')) throw batchInvalid('it mixes requests and responses');
  const ids = messages.flatMap((message) => (message.kind === 'request' ? [message.id.key] : []));
  if (new Set(ids).size < ids.length) throw batchInvalid('two of its requests have the same id');
  return messages;
}

/**
 * Parses a server message. Returns the reason when the message is invalid, because a server's output must not
 * cause an exception. `known` is the parsed text; `isUnambiguous` skips the check for ambiguity.
 */
export function parseServerMessage(text: string, known?: unknown, isUnambiguous = false): Message | string {
  if (known === undefined && isTooMuch(text)) return TOO_MANY_VALUES;
  const value = known ?? parseJson(text);
  if (value === undefined) return 'it is not a JSON object';
  if (!isJsonObject(value)) return 'it is not an object';
  return (isUnambiguous ? undefined : findRoutingAmbiguity(text)) ?? readMessage(text, value);
}

/** Returns the texts of a server's batch; undefined for other text. */
export function splitServerBatch(text: string): readonly string[] | undefined {
  if (!text.trimStart().startsWith('[') || isTooMuch(text)) return undefined;
  if (!Array.isArray(parseJson(text))) return undefined;
  return [...elementsOf(text, 0)].map(({ start, end }) => text.slice(start, end));
}

/** Parses the JSON text of a request id. Returns undefined unless it is a string or an integer. */
export function readId(text: string): MessageId | undefined {
  if (text.startsWith('"')) return { text, key: `s${decodeString(text)}` };
  if (/^-?[0-9]/.test(text) && Number.isInteger(Number(text))) return { text, key: `n${digitsOf(text)}` };
  return undefined;
}

/**
 * Returns an integer as decimal digits, so that a server's `100` matches a client's `1e2`. An integer beyond
 * the safe range keeps its spelling.
 */
function digitsOf(text: string): string {
  const value = Number(text);
  return Number.isSafeInteger(value) ? String(BigInt(value)) : text;
}

/** Returns the id of an invalid message, for the error response. */
export function findId(text: string): MessageId | undefined {
  const span = findValue(text, ['id']);
  return span === undefined ? undefined : readId(text.slice(span.start, span.end));
}

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

function readMessage(text: string, value: JsonRecord): Message | string {
  if (memberOf(value, 'jsonrpc') !== '2.0') return '"jsonrpc" is not "2.0"';
  const id = Object.hasOwn(value, 'id') ? findId(text) : undefined;
  if (Object.hasOwn(value, 'id') && id === undefined) return '"id" is neither a string nor an integer';
  const method = memberOf(value, 'method');
  if (method === undefined && !Object.hasOwn(value, 'method')) return readResponse(text, value, id);
  if (typeof method !== 'string') return '"method" is not a string';
  if (Object.hasOwn(value, 'result') || Object.hasOwn(value, 'error')) {
    return 'it has both a method and a result or error';
  }
  const params = memberOf(value, 'params');
  if (Object.hasOwn(value, 'params') && !isJsonObject(params)) return '"params" is not an object';
  const named = { text, method, params: isJsonObject(params) ? params : undefined };
  return id === undefined ? { kind: 'notification', ...named } : { kind: 'request', id, ...named };
}

function readResponse(text: string, value: JsonRecord, id: MessageId | undefined): Message | string {
  if (id === undefined) return 'it has neither a method nor an id';
  const isError = Object.hasOwn(value, 'error');
  if (isError === Object.hasOwn(value, 'result')) return 'it must have either a result or an error';
  const error = memberOf(value, 'error');
  if (isError && !isJsonObject(error)) return '"error" is not an object';
  const code = isJsonObject(error) ? memberOf(error, 'code') : undefined;
  const errorCode = typeof code === 'number' ? code : undefined;
  return { kind: 'response', text, id, result: memberOf(value, 'result'), errorCode, isError };
}

const JSON_START = /^[ \t\r\n]*[{[]/;

function isTooMuch(text: string): boolean {
  return JSON_START.test(text) && findExcess(text, MAX_SERVER_NODES) !== undefined;
}

/** Parses an object or array. Returns undefined for other text, without the cost of an exception. */
function parseJson(text: string): unknown {
  if (!JSON_START.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
