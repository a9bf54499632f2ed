import { parseClientBody } from '../message/parse-message.ts';
import type { Message } from '../message/message.ts';
import type { Middleware, PathMessage } from '../request-state.ts';

/** Reads the message of a POST, or refuses it. */
export const parseBody: Middleware = (ctx, next) => {
  if (ctx.method !== 'POST') return next();
  const parsed = parseClientBody(ctx.state.body ?? Buffer.alloc(0));
  ctx.state.parsed = parsed;
  if (parsed.form === 'message') {
    ctx.state.messages = [asRead(parsed.message)];
    if (parsed.message.kind === 'request') ctx.state.messageId = parsed.message.id;
  }
  return next();
};

/** A message of which nobody has made anything yet. */
export function asRead(message: Message): PathMessage {
  return { message, view: undefined, changedBy: [], settled: undefined };
}
