import { parseClientBody, type Message } from '@portolan/mcp-protocol';
import { setImmediate as afterOtherWork } from 'node:timers/promises';
import type Koa from 'koa';
import type { Middleware, PathMessage, RequestContext } from '../request/request-state.ts';
import { LARGE_MESSAGE } from '../request/turn.ts';

export const parseBody: Middleware = (ctx, next) => {
  if (ctx.method !== 'POST') return next();
  const { body = Buffer.alloc(0) } = ctx.state;
  if (body.length >= LARGE_MESSAGE) return parseInTurns(ctx, body, next);
  parse(ctx, body);
  return next();
};

/** Parses and continues in separate turns of the event loop, because each takes long. */
async function parseInTurns(ctx: RequestContext, body: Buffer, next: Koa.Next): Promise<void> {
  await afterOtherWork();
  parse(ctx, body);
  await afterOtherWork();
  await next();
}

function parse(ctx: RequestContext, body: Buffer): void {
  const parsed = parseClientBody(body);
  ctx.state.parsed = parsed;
  if (parsed.form === 'message') {
    ctx.state.messages = [asRead(parsed.message)];
    if (parsed.message.kind === 'request') ctx.state.messageId = parsed.message.id;
  }
}

export function asRead(message: Message): PathMessage {
  return { message, view: undefined, changedBy: [], settled: undefined };
}
