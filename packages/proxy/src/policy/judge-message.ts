import type { Changer } from '../request/changer.ts';
import { type Message, parseClientMessage, spliceChanges, writeResultText } from '@portolan/mcp-protocol';
import {
  type ClientExchange,
  type ClientMessage,
  type ClientVerdict,
  mayChange,
  type MessageChange,
} from '@portolan/plugin-api';
import { askedFor, middlewareBroken, refusedByPolicy } from './policy-errors.ts';
import { isPromise } from './is-promise.ts';
import { viewOf } from './message-view.ts';
import type { PlacedProxyMiddleware } from '../request/placed-middleware.ts';

export interface JudgedMessage {
  readonly message: Message;
  readonly view: ClientMessage;
  readonly changedBy: readonly Changer[];
  readonly response?: string;
}

/**
 * Runs the middleware of one slot in turn. Returns a promise only when one is asynchronous. Throws, or
 * rejects with, their errors, ERR_POLICY_REFUSED and ERR_PROXY_MIDDLEWARE.
 */
export function judgeMessage(
  judges: readonly PlacedProxyMiddleware[],
  judged: JudgedMessage,
  context: Omit<ClientExchange, 'message'>,
): JudgedMessage | Promise<JudgedMessage> {
  let current = judged;
  let exchange: ClientExchange | undefined;
  for (const [at, judge] of judges.entries()) {
    exchange ??= { ...context, message: current.view };
    const verdict = judge.instance.onMessage?.(current.view, exchange);
    if (verdict === undefined || verdict === null) continue;
    if (isPromise(verdict)) return judgeLater(judges, at, verdict, current, context);
    const followed = follow(verdict, current, judge);
    if (followed !== current) exchange = undefined;
    current = followed;
    if (current.response !== undefined) return current;
  }
  return current;
}

async function judgeLater(
  judges: readonly PlacedProxyMiddleware[],
  at: number,
  verdict: Promise<ClientVerdict | undefined | void>,
  judged: JudgedMessage,
  context: Omit<ClientExchange, 'message'>,
): Promise<JudgedMessage> {
  const settled = await verdict;
  const judge = judges[at];
  const isSettled = settled === undefined || settled === null || judge === undefined;
  const current = isSettled ? judged : follow(settled, judged, judge);
  return current.response === undefined
    ? await judgeMessage(judges.slice(at + 1), current, context)
    : current;
}

function follow(verdict: ClientVerdict, current: JudgedMessage, judge: PlacedProxyMiddleware): JudgedMessage {
  const { message } = current;
  const id = message.kind === 'request' ? message.id : undefined;
  if ('refuse' in verdict) throw refusedByPolicy(verdict.refuse, id);
  if ('response' in verdict) {
    if (id === undefined) throw middlewareBroken(judge.name, `it responds to a ${message.kind}`);
    return { ...current, response: writeResultText(id, checkedResult(verdict.response, judge)) };
  }
  if (!('change' in verdict)) throw middlewareBroken(judge.name, 'its verdict is invalid');
  if (!mayChange(judge.placed, current.view, verdict.change)) {
    throw middlewareBroken(judge.name, `it changes a message in the slot "${judge.placed}"`);
  }
  if (verdict.change.length === 0) return current;
  const changer = { name: judge.name, by: verdict.by ?? [] };
  const changed = changeMessage(message, verdict.change, changer);
  return { message: changed, view: viewOf(changed), changedBy: [...current.changedBy, changer] };
}

function changeMessage(message: Message, changes: readonly MessageChange[], { name, by }: Changer): Message {
  let changed: Message;
  try {
    changed = parseClientMessage(spliceChanges(message.text, changes));
  } catch (error) {
    throw middlewareBroken(name, askedFor('its change cannot be applied', by), error);
  }
  if (changed.kind !== message.kind || idOf(changed) !== idOf(message)) {
    throw middlewareBroken(name, askedFor('it changes the id or the kind of a message', by));
  }
  return changed;
}

function idOf(message: Message): string | undefined {
  return message.kind === 'notification' ? undefined : message.id.text;
}

function checkedResult(json: string, judge: PlacedProxyMiddleware): string {
  try {
    JSON.parse(json);
    return json;
  } catch (error) {
    throw middlewareBroken(judge.name, 'its response is not JSON', error);
  }
}
