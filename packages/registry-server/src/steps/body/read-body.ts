import type { JsonObject } from '@portolan/plugin-api';
import readRaw from 'raw-body';
import { bodyCompressed, bodyMalformed, bodyNotJson, bodyTooLarge } from '../../errors.ts';
import type { RequestContext } from '../../request/request-state.ts';
import { type Step, step } from '../../request/route.ts';
import { findJsonFault } from './find-json-fault.ts';

/**
 * Parses a JSON object from the body. Throws:
 * - ERR_BODY_NOT_JSON for another content type, which a page of another origin could send without a
 *   preflight, and for a compressed body;
 * - ERR_BODY_TOO_LARGE above the maximum size;
 * - ERR_BODY_INVALID for anything but a JSON object in UTF-8, excessive nesting, a duplicate key, or the
 *   key `__proto__`.
 */
export function readBody(maxBytes: number): Step {
  return step('readBody', async (ctx) => {
    const text = await readText(ctx, maxBytes);
    const fault = findJsonFault(text);
    if (fault !== undefined) throw bodyMalformed(fault);
    ctx.state.body = objectOf(JSON.parse(text));
  });
}

/** Returns the text of a JSON body and records it for the audit log. Throws like `readBody`. */
export async function readText(ctx: RequestContext, maxBytes: number): Promise<string> {
  const type = ctx.is('json', '+json');
  if (type === null) throw bodyMalformed('it is empty');
  if (type === false) throw bodyNotJson(ctx.get('Content-Type'));
  const bytes = await readBytes(ctx, maxBytes);
  ctx.state.rawBody = bytes;
  return decoded(bytes);
}

/** Returns the text of a body without recording it. Throws like `readBody`, except for the content type. */
export async function readPlainText(ctx: RequestContext, maxBytes: number): Promise<string> {
  return decoded(await readBytes(ctx, maxBytes));
}

function decoded(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw bodyMalformed('it is not UTF-8');
  }
}

async function readBytes(ctx: RequestContext, maxBytes: number): Promise<Buffer> {
  const { req, state } = ctx;
  if (!/^(?:identity)?$/i.test(ctx.get('Content-Encoding'))) throw bodyCompressed();
  state.awaitsBody = true;
  try {
    return await readRaw(req, { limit: maxBytes, length: req.headers['content-length'] ?? null });
  } catch (error) {
    if (statusOf(error) === 413) throw bodyTooLarge(undefined, maxBytes);
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
  // SAFETY: an object from JSON.parse.
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw bodyMalformed('it is no JSON object');
}
