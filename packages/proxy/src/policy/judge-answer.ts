import type { ClientExchange, MessageChange, PortolanError, ServerVerdict } from '@portolan/plugin-api';
import { middlewareBroken, refusedByPolicy, serverMessageUnreadable, toRefusal } from './policy-errors.ts';
import { findAmbiguity } from '../message/find-ambiguity.ts';
import type { Message, MessageId } from '../message/message.ts';
import { parseServerMessage } from '../message/parse-message.ts';
import { spliceChanges } from '../message/splice-changes.ts';
import { viewOf } from './message-view.ts';
import type { PlacedProxyMiddleware } from './placed-middleware.ts';
import type { Policy } from './policy.ts';

/** A message for a client after all have judged it. */
export type JudgedAnswer = { readonly message: Message } | { readonly refused: PortolanError };

/**
 * The one seam that every message to a client passes, in whatever form it goes.
 * Never throws: whatever goes wrong is a refusal, so that nothing unjudged passes.
 */
export function judgeAnswer(policy: Policy, message: Message, exchange: ClientExchange): JudgedAnswer {
  const id = idOf(message);
  let current = message;
  try {
    const ambiguity = findAmbiguity(message.text);
    if (ambiguity !== undefined) return { refused: serverMessageUnreadable(ambiguity, id) };
    for (const judge of policy.answering) {
      const verdict = judge.instance.onAnswer?.(viewOf(current), exchange);
      if (verdict !== undefined && verdict !== null) current = follow(verdict, current, judge);
    }
    return { message: current };
  } catch (error) {
    return { refused: toRefusal(error, id, policy.logger) };
  }
}

/** As `judgeAnswer`, for a text of which nothing is known yet. */
export function judgeAnswerText(policy: Policy, text: string, exchange: ClientExchange): JudgedAnswer {
  const message = parseServerMessage(text);
  return typeof message === 'string'
    ? { refused: serverMessageUnreadable(message, undefined) }
    : judgeAnswer(policy, message, exchange);
}

function follow(verdict: ServerVerdict, current: Message, judge: PlacedProxyMiddleware): Message {
  const id = idOf(current);
  if ('refuse' in verdict) throw refusedByPolicy(verdict.refuse, id);
  if (!('change' in verdict)) throw middlewareBroken(judge.name, 'its verdict is none');
  if (verdict.change.length === 0) return current;
  const changed = parseServerMessage(spliced(current.text, verdict.change, judge));
  if (typeof changed === 'string') throw middlewareBroken(judge.name, `after its change ${changed}`);
  const ambiguity = findAmbiguity(changed.text);
  if (ambiguity !== undefined) throw middlewareBroken(judge.name, `after its change ${ambiguity}`);
  if (changed.kind !== current.kind || idOf(changed)?.text !== id?.text) {
    throw middlewareBroken(judge.name, 'it changes the id or the kind of a message');
  }
  return changed;
}

function spliced(text: string, changes: readonly MessageChange[], judge: PlacedProxyMiddleware): string {
  try {
    return spliceChanges(text, changes);
  } catch (error) {
    throw middlewareBroken(judge.name, 'its change cannot be made', error);
  }
}

function idOf(message: Message): MessageId | undefined {
  return message.kind === 'notification' ? undefined : message.id;
}
