import { batchInvalid, hasClaim, parseBatch } from '@portolan/mcp-protocol';
import type { Middleware, RequestContext } from '../request/request-state.ts';
import { asRead } from './parse-body.ts';

/** Splits a batch into its messages. `check` throws where batches (2025-03-26) are not allowed. */
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
