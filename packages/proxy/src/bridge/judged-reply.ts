import type { ClientExchange } from '@portolan/plugin-api';
import type { Message } from '../message/message.ts';
import { surroundingsOf } from '../policy/client-exchange.ts';
import { judgeAnswer, judgeAnswerText } from '../policy/judge-answer.ts';
import { viewOf } from '../policy/message-view.ts';
import type { Policy } from '../policy/policy.ts';
import type { RequestContext } from '../request-state.ts';
import type { JudgeSessionMessage } from './outlet.ts';
import { type Reply, withEnds } from './reply.ts';

/** The same way back, on which answers and progress are judged; as it is where nobody judges them. */
export function judgedReply(
  reply: Reply,
  policy: Policy | undefined,
  ctx: RequestContext,
  message: Message,
  begunSession?: string,
): Reply {
  const surroundings = surroundingsOf(ctx);
  if (policy === undefined || policy.answering.length === 0 || surroundings === undefined) return reply;
  const sessionId = begunSession ?? surroundings.sessionId;
  const exchange: ClientExchange = { ...surroundings, sessionId, message: viewOf(message) };
  return withEnds(reply, {
    progressed: (text) => {
      const judged = judgeAnswerText(policy, text, exchange);
      if ('message' in judged) reply.progressed(judged.message.text);
    },
    answer: (answer) => {
      const judged = judgeAnswer(policy, answer, exchange);
      if ('refused' in judged) reply.fail(judged.refused, answer.id);
      else reply.answer({ ...answer, text: judged.message.text });
    },
    // What the proxy says itself is nothing that a server could have put there.
    fail: (error, id) => reply.fail(error, id),
  });
}

/** Judges what a server says to the session that this request opens. */
export function judgeSession(
  policy: Policy,
  ctx: RequestContext,
  sessionId: string | undefined,
): JudgeSessionMessage | undefined {
  const surroundings = surroundingsOf(ctx);
  if (policy.answering.length === 0 || surroundings === undefined) return undefined;
  const exchange: ClientExchange = { ...surroundings, sessionId, isBatch: false, message: undefined };
  return (said) => {
    const judged = judgeAnswerText(policy, said.text, exchange);
    if ('message' in judged) return { ...said, text: judged.message.text };
    said.dropped?.('it was refused on its way to the client');
    return undefined;
  };
}
