import type { JsonObject } from '@portolan/plugin-api';
import readRaw from 'raw-body';
import { bodyCompressed, bodyMalformed, bodyNotJson, bodyTooLarge } from '../errors.ts';
import type { RequestContext } from '../request/request-state.ts';
import { type Step, step } from '../request/route.ts';
import { findJsonFault } from './find-json-fault.ts';

/**
 * Reads a JSON object from the body, at most this many bytes. Throws
 * ERR_BODY_NOT_JSON for another content type (a page of another origin could
 * send that unasked) and for a compressed body, ERR_BODY_TOO_LARGE, and
 * ERR_BODY_MALFORMED for what is no JSON object in UTF-8, nests too deep, has a
 * key twice, or the key `__proto__`.
 */
export function readBody(mostBytes: number): Step {
  return step('readBody', async (ctx) => {
    const text = await readText(ctx, mostBytes);
    const fault = findJsonFault(text);
    if (fault !== undefined) throw bodyMalformed(fault);
    ctx.state.body = objectOf(JSON.parse(text));
  });
}

/** The body as text, whatever is in it; also left in the state for audit. Throws as `readBody` does. */
export async function readText(ctx: RequestContext, mostBytes: number): Promise<string> {
  const type = ctx.is('json', '+json');
  if (type === null) throw bodyMalformed('it is empty');
  if (type === false) throw bodyNotJson(ctx.get('Content-Type'));
  const bytes = await readBytes(ctx, mostBytes);
  ctx.state.rawBody = bytes;
  return decoded(bytes);
}

/** A body of any type as text, left to nobody else. Throws as `readBody` does, but for its type. */
export async function readPlainText(ctx: RequestContext, mostBytes: number): Promise<string> {
  return decoded(await readBytes(ctx, mostBytes));
}

function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw bodyMalformed('it is not UTF-8');
  }
}

async function readBytes(ctx: RequestContext, mostBytes: number): Promise<Buffer> {
  const { req, state } = ctx;
  if (!/^(?:identity)?$/i.test(ctx.get('Content-Encoding'))) throw bodyCompressed();
  state.awaitsBody = true;
  try {
    return await readRaw(req, { limit: mostBytes, length: req.headers['content-length'] ?? null });
  } catch (error) {
    if (statusOf(error) === 413) throw bodyTooLarge(undefined, mostBytes);
    if (statusOf(error) === 400) throw bodyMalformed('it ends too early');
    throw error;
  } finally {
    state.awaitsBody = false;
  }
}

function statusOf(error: unknown): unknown {
  return error instanceof Error && 'status' in error ? error.status : undefined;
}

function objectOf(value: unknown): JsonObject {
  // SAFETY: an object that JSON.parse has made.
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw bodyMalformed('it is no JSON object');
}
