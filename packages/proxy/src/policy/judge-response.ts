import {
  findAmbiguity,
  type Message,
  type MessageId,
  type ResponseMessage,
  parseServerMessage,
  spliceChanges,
} from '@portolan/mcp-protocol';
import type {
  ClientExchange,
  MessageChange,
  PortolanError,
  ServerMessage,
  ServerVerdict,
} from '@portolan/plugin-api';
import { middlewareBroken, refusedByPolicy, serverMessageUnreadable, toRefusal } from './policy-errors.ts';
import { isPromise } from './is-promise.ts';
import { viewOf } from './message-view.ts';
import { noteRefusedResponse } from '../request/note-refusal.ts';
import type { PlacedProxyMiddleware } from '../request/placed-middleware.ts';
import type { Policy } from './policy.ts';

export type JudgedResponse = { readonly message: Message } | { readonly refused: PortolanError };

interface Judging {
  readonly policy: Policy;
  readonly exchange: ClientExchange;
  readonly next: number;
}

/**
 * Runs the response policies; no message reaches a client another way. Never throws or rejects: failures
 * become refusals. Returns a promise only for a response with an asynchronous policy.
 */
export function judgeResponse(
  policy: Policy,
  message: Exclude<Message, ResponseMessage>,
  exchange: ClientExchange,
): JudgedResponse;
export function judgeResponse(
  policy: Policy,
  message: Message,
  exchange: ClientExchange,
): JudgedResponse | Promise<JudgedResponse>;
export function judgeResponse(
  policy: Policy,
  message: Message,
  exchange: ClientExchange,
): JudgedResponse | Promise<JudgedResponse> {
  const judged = judgeFrom({ policy, exchange, next: 0 }, message);
  if (message.kind !== 'response') return judged;
  return judged instanceof Promise ? judged.then((later) => noted(later, exchange)) : noted(judged, exchange);
}

function noted(judged: JudgedResponse, { request, message }: ClientExchange): JudgedResponse {
  if ('refused' in judged && message?.kind === 'request') {
    noteRefusedResponse(request, judged.refused, message.id);
  }
  return judged;
}

export function judgeRelayed(policy: Policy, text: string, exchange: ClientExchange): JudgedResponse {
  const message = parseServerMessage(text);
  if (typeof message === 'string') return { refused: serverMessageUnreadable(message, undefined) };
  return message.kind === 'response'
    ? { refused: serverMessageUnreadable('it is an unexpected response', message.id) }
    : judgeResponse(policy, message, exchange);
}

function judgeFrom(judging: Judging, message: Message): JudgedResponse | Promise<JudgedResponse> {
  const { policy, exchange, next } = judging;
  let current = (next === 0 ? policy.lists.recallIn(message) : undefined) ?? message;
  try {
    const isUnclear = next === 0 && !policy.lists.knows(current);
    const ambiguity = isUnclear ? findAmbiguity(message.text) : undefined;
    if (ambiguity !== undefined) return { refused: serverMessageUnreadable(ambiguity, idOf(message)) };
    policy.lists.remember(current, exchange);
    let view: ServerMessage | undefined;
    for (const [at, judge] of policy.answering.entries()) {
      if (at < next) continue;
      view ??= viewOf(current);
      const verdict = judge.instance.onResponse?.(view, exchange);
      if (verdict === undefined || verdict === null) continue;
      if (isPromise(verdict)) {
        const settled = Promise.resolve(verdict);
        if (current.kind === 'response') {
          return judgeLater({ policy, exchange, next: at + 1 }, current, judge, settled);
        }
        // Avoids an unhandled rejection, because the refusal below replaces the verdict.
        settled.catch(() => undefined);
        throw middlewareBroken(judge.name, `its verdict on a ${current.kind} is asynchronous`);
      }
      const followed = follow(verdict, current, judge, judging);
      if (followed !== current) view = undefined;
      current = followed;
    }
    return { message: current };
  } catch (error) {
    return { refused: toRefusal(error, idOf(message), policy.logger) };
  }
}

async function judgeLater(
  judging: Judging,
  current: Message,
  judge: PlacedProxyMiddleware,
  verdict: Promise<ServerVerdict | undefined | void>,
): Promise<JudgedResponse> {
  try {
    const settled = await verdict;
    const isSilent = settled === undefined || settled === null;
    const followed = isSilent ? current : follow(settled, current, judge, judging);
    return await judgeFrom(judging, followed);
  } catch (error) {
    return { refused: toRefusal(error, idOf(current), judging.policy.logger) };
  }
}

function follow(
  verdict: ServerVerdict,
  current: Message,
  judge: PlacedProxyMiddleware,
  { policy: { lists }, exchange }: Judging,
): Message {
  const id = idOf(current);
  if ('refuse' in verdict) throw refusedByPolicy(verdict.refuse, id);
  if (!('change' in verdict)) throw middlewareBroken(judge.name, 'its verdict is invalid');
  if (verdict.change.length === 0) return current;
  const again = lists.changeAgain(current, verdict.change);
  if (again !== undefined) return again;
  const text = spliced(current.text, verdict.change, judge);
  const recalled = lists.recall(text);
  const changed = parseServerMessage(text, recalled, recalled !== undefined);
  if (typeof changed === 'string') throw middlewareBroken(judge.name, `after its change ${changed}`);
  const ambiguity =
    recalled === undefined && canConfuse(verdict.change) ? findAmbiguity(changed.text) : undefined;
  if (ambiguity !== undefined) throw middlewareBroken(judge.name, `after its change ${ambiguity}`);
  if (changed.kind !== current.kind || idOf(changed)?.text !== id?.text) {
    throw middlewareBroken(judge.name, 'it changes the id or the kind of a message');
  }
  lists.remember(changed, exchange);
  lists.rememberChange(current, verdict.change, changed);
  return changed;
}

/**
 * Returns whether changes could make an unambiguous text ambiguous. Only objects, arrays and added protocol
 * names can.
 */
function canConfuse(changes: readonly MessageChange[]): boolean {
  return changes.some(({ path, json }) => json !== undefined && (path.length <= 3 || /^\s*[{[]/.test(json)));
}

function spliced(text: string, changes: readonly MessageChange[], judge: PlacedProxyMiddleware): string {
  try {
    return spliceChanges(text, changes);
  } catch (error) {
    throw middlewareBroken(judge.name, 'its change cannot be applied', error);
  }
}

function idOf(message: Message): MessageId | undefined {
  return message.kind === 'notification' ? undefined : message.id;
}
