import { batchInvalid, hasClaim, parseBatch } from '@portolan/mcp-protocol';
import type { Middleware, RequestContext } from '../request/request-state.ts';
import { asRead } from './parse-body.ts';

/**
 * Splits a batch (2025-03-26) into messages that are processed separately. `check` throws where batches are
 * not allowed.
 */
export function splitBatches(check: (ctx: RequestContext) => void): Middleware {
  return (ctx, next) => {
    const { parsed } = ctx.state;
    if (parsed?.form !== 'batch') return next();
    check(ctx);
    const messages = parseBatch(parsed.text);
    if (messages.some(hasClaim)) throw batchInvalid('one of its messages is of a newer revision');
    ctx.state.messages = messages.map(asRead);
    ctx.state.isBatch = true;
    ctx.state.era = { era: 'legacy' };
    return next();
  };
}
