import type { Message } from '@portolan/mcp-protocol';
import type { ClientExchange, ClientMessage } from '@portolan/plugin-api';
import { contextOf } from '../policy/client-exchange.ts';
import type { MessageOrder } from '../policy/message-order.ts';
import { judgeResponse, judgeRelayed } from '../policy/judge-response.ts';
import { viewOf } from '../policy/message-view.ts';
import { noteRefusal } from '../request/note-refusal.ts';
import type { Policy } from '../policy/policy.ts';
import type { RequestContext } from '../request/request-state.ts';
import type { JudgeSessionMessage } from './outlet.ts';
import { type Reply, withEnds } from './reply.ts';

export interface JudgedRoute {
  readonly message: Message;
  readonly view?: ClientMessage | undefined;
  /** Sends messages in order on the stream that carries the response. */
  readonly line: MessageOrder;
  readonly begunSession?: string;
}

/**
 * Returns a reply that policies read first, or the given reply when no policy reads responses. All messages
 * on one stream share one `line`.
 */
export function judgedReply(
  reply: Reply,
  policy: Policy | undefined,
  ctx: RequestContext,
  { message, view, line, begunSession }: JudgedRoute,
): Reply {
  const context = contextOf(ctx);
  if (policy === undefined || policy.answering.length === 0 || context === undefined) return reply;
  const sessionId = begunSession ?? context.sessionId;
  const exchange: ClientExchange = { ...context, sessionId, message: view ?? viewOf(message) };
  return withEnds(reply, {
    carry: (text, mayDrop) => {
      if (!line.isWaiting) return reply.carry(text, mayDrop);
      if (!reply.isStreaming && !reply.canStream) return false;
      line.take(text, (waited) => reply.carry(waited, mayDrop));
      return true;
    },
    progressed: (text) => {
      line.take(judgeRelayed(policy, text, exchange), (judged) => {
        if ('message' in judged) reply.progressed(judged.message.text);
      });
    },
    respond: (response) => {
      line.take(judgeResponse(policy, response, exchange), (judged) => {
        if ('refused' in judged) reply.fail(judged.refused, response.id);
        else reply.respond({ ...response, text: judged.message.text });
      });
    },
    // Policies do not read an error of the proxy, because it contains nothing from the server.
    fail: (error, id) => {
      noteRefusal(ctx.state, error, id);
      line.take(error, (failed) => reply.fail(failed, id));
    },
  });
}

export function judgeSession(
  policy: Policy,
  ctx: RequestContext,
  sessionId: string | undefined,
): JudgeSessionMessage | undefined {
  const context = contextOf(ctx);
  if (policy.answering.length === 0 || context === undefined) return undefined;
  const exchange: ClientExchange = { ...context, sessionId, isBatch: false, message: undefined };
  return (message) => {
    const judged = judgeRelayed(policy, message.text, exchange);
    if ('message' in judged) return { ...message, text: judged.message.text };
    message.dropped?.('a policy refused the request');
    return undefined;
  };
}
