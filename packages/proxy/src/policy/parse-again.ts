import {
  classifyMessage,
  type Era,
  encodeFieldValue,
  mirroredName,
  paramFollower,
  MODERN_REVISIONS,
  findValue,
  memberOf,
  type Message,
  type RequestMessage,
} from '@portolan/mcp-protocol';
import type { PortolanError } from '@portolan/plugin-api';
import {
  headerOf,
  type Middleware,
  type PathMessage,
  type RequestContext,
} from '../request/request-state.ts';
import type { Changer } from '../request/changer.ts';
import { askedFor, middlewareBroken } from './policy-errors.ts';

/** Checks a changed message as if the client had sent it, and refuses a change of the protocol era. */
export const parseAgain: Middleware = (ctx, next) => {
  const { parsed, messages, isBatch } = ctx.state;
  const sent = parsed?.form === 'message' ? parsed.message : undefined;
  const [first] = messages;
  if (!isBatch && first !== undefined && sent !== undefined && first.message !== sent) {
    mirrorAgain(ctx, first.message, sent);
    ctx.state.parsed = { form: 'message', message: first.message };
    checkEra(ctx, first);
  } else if (isBatch) for (const one of messages) checkEra(ctx, one);
  return next();
};

function mirrorAgain(ctx: RequestContext, message: Message, sent: Message): void {
  if (ctx.state.era?.era !== 'modern' || message.kind !== 'request' || sent.kind !== 'request') return;
  ctx.req.headers['mcp-method'] = message.method;
  const name = mirroredName(message.method, message.params);
  if (name === undefined) delete ctx.req.headers['mcp-name'];
  else ctx.req.headers['mcp-name'] = encodeFieldValue(name);
  mirrorParams(ctx, message, sent);
}

/**
 * Updates the `Mcp-Param-*` headers after a policy changed tool arguments. Headers of unchanged arguments
 * stay as the client sent them.
 */
function mirrorParams(
  { req: { headers } }: RequestContext,
  message: RequestMessage,
  sent: RequestMessage,
): void {
  const names = Object.keys(headers).filter((name) => name.startsWith('mcp-param-'));
  if (names.length === 0 || argumentsIn(message) === argumentsIn(sent)) return;
  const follow = paramFollower(memberOf(sent.params, 'arguments'), memberOf(message.params, 'arguments'));
  for (const name of names) {
    const value = follow(String(headers[name]));
    if (value === undefined) delete headers[name];
    else headers[name] = value;
  }
}

function argumentsIn({ text }: RequestMessage): string {
  const span = findValue(text, ['params', 'arguments']);
  return span === undefined ? '' : text.slice(span.start, span.end);
}

function checkEra(ctx: RequestContext, { message, changedBy }: PathMessage): void {
  const headers = {
    version: headerOf(ctx, 'MCP-Protocol-Version'),
    method: headerOf(ctx, 'Mcp-Method'),
    name: headerOf(ctx, 'Mcp-Name'),
  };
  let again: Era;
  try {
    again = classifyMessage(message, headers, { inKnownSession: true, supported: MODERN_REVISIONS });
  } catch (error) {
    // If middleware changed the message, blame the middleware for a fault that the client did not send.
    throw changedBy.length === 0 ? error : eraChanged(changedBy, error);
  }
  if (again.era !== ctx.state.era?.era) throw eraChanged(changedBy);
}

function eraChanged(changedBy: readonly Changer[], cause?: unknown): PortolanError {
  const names = changedBy.map(({ name }) => name).join(', ');
  const by = changedBy.flatMap((changer) => changer.by);
  return middlewareBroken(names, askedFor('it changes the era of a message', by), cause);
}
