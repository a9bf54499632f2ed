import type { Message, MessageId, ResponseMessage } from '@portolan/mcp-protocol';
import type { ClientExchange, PortolanError } from '@portolan/plugin-api';
import { contextOf } from '../policy/client-exchange.ts';
import { judgeResponse, type JudgedResponse, judgeRelayed } from '../policy/judge-response.ts';
import { viewOf } from '../policy/message-view.ts';
import { noteRefusal } from '../request/note-refusal.ts';
import type { Policy } from '../policy/policy.ts';
import type { RequestContext } from '../request/request-state.ts';

export interface JudgeModern {
  judgeResponse(response: ResponseMessage): JudgedResponse | Promise<JudgedResponse>;
  judgeText(text: string): JudgedResponse;
  failed(error: PortolanError, id: MessageId): void;
}

/**
 * Creates the functions by which policies judge the responses to one Modern message. Returns undefined when
 * no policy reads responses.
 */
export function judgeModern(
  policy: Policy | undefined,
  ctx: RequestContext,
  message: Message,
): JudgeModern | undefined {
  const context = contextOf(ctx);
  if (policy === undefined || policy.answering.length === 0 || context === undefined) return undefined;
  const exchange: ClientExchange = { ...context, sessionId: undefined, message: viewOf(message) };
  return {
    judgeResponse: (response) => judgeResponse(policy, response, exchange),
    judgeText: (text) => judgeRelayed(policy, text, exchange),
    failed: (error, id) => noteRefusal(ctx.state, error, id),
  };
}
