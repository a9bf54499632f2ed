import { findExcess, MAX_SERVER_NODES, isJsonObject } from '@portolan/mcp-protocol';
import type { PortolanError } from '@portolan/plugin-api';
import { answerTooLarge } from '../../errors/server-errors.ts';
import { serverMessageUnreadable } from '../../policy/policy-errors.ts';
import type { ResponseScope } from './response-scope.ts';

const MAX_AT_ONCE = 16 * 1024;
const STRICT = new TextDecoder('utf-8', { fatal: true });

export type JudgedDocument = { readonly body: string | Buffer } | { readonly refused: PortolanError };

/**
 * Lets policies read a response body. A body that is no JSON-RPC message passes only with an error status,
 * and only if it does not look like a result.
 */
export async function judgeDocument(
  scope: ResponseScope,
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
      // A short string goes out with its headers in one write; for a long text, bytes are faster.
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
  return { refused: serverMessageUnreadable(fault ?? 'it is not a JSON-RPC message', undefined) };
}

/**
 * Returns whether a value is a JSON-RPC message. Excludes an error with a null id, which
 * a server sends when it cannot parse the request.
 */
function isMessage(value: unknown): boolean {
  return (
    isJsonObject(value) &&
    Object.hasOwn(value, 'jsonrpc') &&
    Object.hasOwn(value, 'id') &&
    value['id'] !== null
  );
}

/** Returns whether a lenient client could read a result, even with an error status. */
function mayHoldResult(value: unknown): boolean {
  if (Array.isArray(value)) return true;
  return isJsonObject(value) && Object.keys(value).some((name) => name.toLowerCase() === 'result');
}

function decode(body: Buffer): string | undefined {
  try {
    return STRICT.decode(body);
  } catch {
    return undefined;
  }
}

function parse(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text);
  } catch {
    return undefined;
  }
}
