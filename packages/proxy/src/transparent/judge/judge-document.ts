import { findExcess, MAX_SERVER_NODES, isJsonObject } from '@portolan/mcp-protocol';
import type { PortolanError } from '@portolan/plugin-api';
import { answerTooLarge } from '../../errors/server-errors.ts';
import { serverMessageUnreadable } from '../../policy/policy-errors.ts';
import type { AnswerScope } from './answer-scope.ts';

const MAX_AT_ONCE = 16 * 1024;
const STRICT = new TextDecoder('utf-8', { fatal: true });

/** What a client gets for an answer that is one document. */
export type JudgedDocument = { readonly body: string | Buffer } | { readonly refused: PortolanError };

/**
 * Judges an answer that came whole. One that is not understood passes only where
 * its status says that it failed, and nothing in it looks like a result; where no
 * answer is expected here, such as to a notification, it is left out.
 */
export async function judgeDocument(
  scope: AnswerScope,
  status: number,
  body: Buffer,
  isExpected: boolean,
): Promise<JudgedDocument> {
  if (body.length === 0) return { body };
  const text = decode(body);
  const fault = text === undefined ? 'it is not UTF-8' : undefined;
  const recalled = text === undefined ? undefined : scope.recall(text);
  if (text !== undefined && recalled === undefined && findExcess(text, MAX_SERVER_NODES) !== undefined) {
    return { refused: answerTooLarge() };
  }
  const value = recalled ?? parse(text);
  if (text !== undefined && isMessage(value)) {
    const judged = await scope.judge(text, value);
    if ('text' in judged) {
      // A short text leaves with its head in one write; of a long one, bytes are written faster.
      if (judged.text.length <= MAX_AT_ONCE) return { body: judged.text };
      return { body: judged.text === text ? body : Buffer.from(judged.text) };
    }
    if ('refused' in judged) return { refused: judged.refused };
    return { refused: serverMessageUnreadable(judged.dropped, undefined) };
  }
  if (!mayHoldResult(value)) {
    if (status >= 400) return { body };
    if (!isExpected) return { body: '' };
  }
  return { refused: serverMessageUnreadable(fault ?? 'it is no message of JSON-RPC', undefined) };
}

/** Whether it is meant as a message that answers somebody; the error of a server that could not read an id is not. */
function isMessage(value: unknown): boolean {
  return (
    isJsonObject(value) &&
    Object.hasOwn(value, 'jsonrpc') &&
    Object.hasOwn(value, 'id') &&
    value['id'] !== null
  );
}

/** What a careless client could take for a result, whatever the status. */
function mayHoldResult(value: unknown): boolean {
  if (Array.isArray(value)) return true;
  return isJsonObject(value) && Object.keys(value).some((name) => name.toLowerCase() === 'result');
}

function decode(body: Buffer): string | undefined {
  try {
    return STRICT.decode(body);
  } catch {
    return undefined; // as the caller reports it
  }
}

function parse(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined; // which is no message
  }
}
