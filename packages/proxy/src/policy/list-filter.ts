import { parseServerMessage, ownRequest, writeResultText } from '@portolan/mcp-protocol';
import type { Logger, MessageSender } from '@portolan/plugin-api';
import { judgeResponse } from './judge-response.ts';
import { viewOf } from './message-view.ts';
import { Policy } from './policy.ts';
import type { PlacedProxyMiddleware } from '../request/placed-middleware.ts';

/**
 * Returns the response to a list as policies let the caller see it. Undefined when they refuse it. Never rejects.
 */
export type ListFilter = (
  method: string,
  result: string,
  sender: MessageSender | undefined,
) => Promise<string | undefined>;

/** Slots whose middleware observes responses, or counts them. */
const OBSERVING: readonly string[] = ['observe', 'limit'];

/**
 * Creates a filter of lists from the middleware of a proxy, without what only observes. Returns undefined when none
 * of it reads responses.
 */
export function createListFilter(
  middleware: readonly PlacedProxyMiddleware[],
  logger: Logger,
): ListFilter | undefined {
  const judging = middleware.filter(
    ({ placed, instance }) => !OBSERVING.includes(placed) && instance.onResponse !== undefined,
  );
  if (judging.length === 0) return undefined;
  const policy = new Policy(judging, logger);
  return async (method, result, sender) => {
    const request = ownRequest(method, {});
    const text = writeResultText(request.id, result);
    const response = parseServerMessage(text);
    if (sender?.exchange === undefined || typeof response === 'string') return text;
    const judged = await judgeResponse(policy, response, { ...sender.exchange, message: viewOf(request) });
    return 'refused' in judged ? undefined : judged.message.text;
  };
}
