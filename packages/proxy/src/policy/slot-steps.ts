import type { ProxySlot } from '@portolan/plugin-api';
import type Koa from 'koa';
import { markThrown, toErrorMessage } from '../request/http-errors.ts';
import type { Middleware, PathMessage, RequestContext } from '../request/request-state.ts';
import type { NamedStep, PathParts } from '../request/message-path.ts';
import { contextOf } from './client-exchange.ts';
import { type JudgedMessage, judgeMessage } from './judge-message.ts';
import { viewOf } from './message-view.ts';
import { noteRefusal } from '../request/note-refusal.ts';
import { parseAgain } from './parse-again.ts';
import type { Policy } from './policy.ts';

/**
 * Returns the steps of a policy in the message path. Slots without middleware for client messages get no
 * step.
 */
export function slotSteps(policy: Policy): PathParts {
  const stepsIn = (...slots: readonly ProxySlot[]): readonly NamedStep[] =>
    slots
      .filter((slot) => policy.judgesIn(slot).length > 0)
      .map((slot) => ({ name: slot, run: judgeMessages(policy, slot) }));
  return {
    // Middleware of the slot `limit` sees a message as soon as it has the server's names. Observers see the
    // first and the final form.
    names: stepsIn('observe', 'names'),
    session: stepsIn('limit'),
    mutate: stepsIn('mutate'),
    'parse again': [{ name: 'parseAgain', run: parseAgain }],
    validate: stepsIn('validate'),
    authorize: stepsIn('authorize'),
    exchange: stepsIn('exchange', 'filter'),
  };
}

function judgeMessages(policy: Policy, slot: ProxySlot): Middleware {
  const judges = policy.judgesIn(slot);
  return (ctx, next) => {
    const { messages } = ctx.state;
    const [only, other] = messages;
    if (only === undefined || other !== undefined) return judgeAll(ctx, judges, messages, next);
    const judged = judgeOne(ctx, judges, only);
    if (judged instanceof Promise) return pass(ctx, judged, next);
    ctx.state.messages = [judged];
    return next();
  };
}

async function pass(ctx: RequestContext, judged: Promise<PathMessage>, next: Koa.Next): Promise<void> {
  ctx.state.messages = [await judged];
  await next();
}

async function judgeAll(
  ctx: RequestContext,
  judges: ReturnType<Policy['judgesIn']>,
  messages: readonly PathMessage[],
  next: Koa.Next,
): Promise<void> {
  const judged: PathMessage[] = [];
  for (const one of messages) judged.push(await judgeOne(ctx, judges, one));
  ctx.state.messages = judged;
  await next();
}

function judgeOne(
  ctx: RequestContext,
  judges: ReturnType<Policy['judgesIn']>,
  one: PathMessage,
): PathMessage | Promise<PathMessage> {
  const context = contextOf(ctx);
  if (one.settled !== undefined || context === undefined) return one;
  const { message, view = viewOf(message), changedBy } = one;
  const refuse = (thrown: unknown): PathMessage => {
    const error = markThrown(thrown);
    // In a batch, the other messages continue. Otherwise the refusal becomes the response.
    if (!ctx.state.isBatch) throw error;
    noteRefusal(ctx.state, error, message.kind === 'request' ? message.id : undefined);
    const response = message.kind === 'request' ? toErrorMessage(error, message.id) : undefined;
    return { message, view, changedBy, settled: { response } };
  };
  try {
    const judged = judgeMessage(judges, { message, view, changedBy }, context);
    return judged instanceof Promise ? judged.then(settle, refuse) : settle(judged);
  } catch (error) {
    return refuse(error);
  }
}

function settle({ message, view, changedBy, response }: JudgedMessage): PathMessage {
  return { message, view, changedBy, settled: response === undefined ? undefined : { response } };
}
