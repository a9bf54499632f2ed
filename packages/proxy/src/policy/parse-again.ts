import { classifyMessage } from '../era/classify-message.ts';
import { encodeFieldValue, mirroredName } from '../era/mirrored-name.ts';
import { MODERN_REVISIONS } from '../era/revisions.ts';
import type { Message } from '../message/message.ts';
import { headerOf, type Middleware, type RequestContext } from '../request-state.ts';
import { middlewareBroken } from './policy-errors.ts';

/**
 * Judges what slots have changed as if the client had sent it: the text was
 * parsed when it was changed; here the headers that repeat a part of it follow,
 * and the era has to be what it was.
 */
export const parseAgain: Middleware = (ctx, next) => {
  const { parsed, messages, isBatch } = ctx.state;
  const sent = parsed?.form === 'message' ? parsed.message : undefined;
  const [first] = messages;
  if (!isBatch && first !== undefined && sent !== undefined && first.message !== sent) {
    mirrorAgain(ctx, first.message);
    ctx.state.parsed = { form: 'message', message: first.message };
    checkEra(ctx, first.message);
  } else if (isBatch) for (const { message } of messages) checkEra(ctx, message);
  return next();
};

/** Of Modern requests alone: on others these headers mean nothing. */
function mirrorAgain(ctx: RequestContext, message: Message): void {
  if (ctx.state.era?.era !== 'modern' || message.kind !== 'request') return;
  ctx.req.headers['mcp-method'] = message.method;
  const name = mirroredName(message.method, message.params);
  if (name === undefined) delete ctx.req.headers['mcp-name'];
  else ctx.req.headers['mcp-name'] = encodeFieldValue(name);
}

function checkEra(ctx: RequestContext, message: Message): void {
  const headers = {
    version: headerOf(ctx, 'MCP-Protocol-Version'),
    method: headerOf(ctx, 'Mcp-Method'),
    name: headerOf(ctx, 'Mcp-Name'),
  };
  const { era } = ctx.state;
  const again = classifyMessage(message, headers, { inKnownSession: true, supported: MODERN_REVISIONS });
  if (again.era !== era?.era) throw middlewareBroken('of names or mutate', 'it changes the era of a message');
}
