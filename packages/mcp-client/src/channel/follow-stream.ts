import { setTimeout as pass } from 'node:timers/promises';
import { splitServerBatch } from '@portolan/mcp-protocol';
import type { ChannelEvents, ChannelRoute } from './channel.ts';
import { type HttpReply, readEvents } from './http-reply.ts';
import type { PendingRequest } from './pending-requests.ts';

const MAX_RETRY_MS = 30_000;
/** Maximum time of a response's stream after the response, in milliseconds. */
const MAX_TRAILING_MS = 2000;

export interface StreamEnd {
  readonly lastEventId: string | undefined;
  readonly retryMs: number | undefined;
}

export interface FollowOptions {
  readonly events: ChannelEvents;
  readonly route: ChannelRoute;
  /** Aborts when the channel no longer needs the stream. */
  readonly signal: AbortSignal;
  /** Request to which the stream belongs. */
  readonly pending?: PendingRequest;
  /** Whether the stream may respond to this request only. */
  readonly isOnlyAnswer?: boolean;
}

/** Passes on the messages of a stream. Returns how to resume it, also when it broke. */
export async function followStream(reply: HttpReply, options: FollowOptions): Promise<StreamEnd> {
  const { route, signal, pending } = options;
  let lastEventId: string | undefined;
  let retryMs: number | undefined;
  let trailing: NodeJS.Timeout | undefined;
  try {
    for await (const { data, id, retry } of readEvents(reply, route.maxMessageBytes)) {
      if (id !== undefined && id !== '') lastEventId = id;
      if (retry !== undefined && /^\d{1,6}$/.test(retry)) retryMs = Number(retry);
      if (data !== undefined && data !== '') await takeText(data, options);
      if (pending?.isAnswered === true)
        trailing ??= setTimeout(() => reply.discard(), MAX_TRAILING_MS).unref();
    }
  } catch (error) {
    if (signal.aborted) throw error;
    // The stream broke. The caller resumes it.
  } finally {
    clearTimeout(trailing);
  }
  return { lastEventId, retryMs };
}

/** Passes on a message, or the messages of a batch. */
export async function takeText(
  text: string,
  { events, pending, isOnlyAnswer }: FollowOptions,
): Promise<void> {
  const only = isOnlyAnswer === true ? pending : undefined;
  for (const one of splitServerBatch(text) ?? [text]) await events.received(one, only);
}

export function resumeDelay({ retryMs }: ChannelRoute, failures: number): number {
  return Math.min(retryMs * 2 ** failures, MAX_RETRY_MS);
}

export interface ListenOptions extends FollowOptions {
  /** Opens the stream, and resumes it after the event `last`. */
  readonly open: (last: string | undefined) => Promise<HttpReply>;
  /** Called when the server does not know the session. */
  readonly lost: () => Promise<void>;
}

/** Follows the stream for the server's own messages, until the signal aborts or the server has none. */
export async function listenForMessages(options: ListenOptions): Promise<void> {
  const { open, lost, route, signal } = options;
  let last: string | undefined;
  for (let failures = 0; !signal.aborted; failures += 1) {
    const reply = await open(last).catch((error: unknown) => {
      if (signal.aborted) throw error;
    });
    if (reply?.status === 200) {
      const end = await followStream(reply, options);
      last = end.lastEventId ?? last;
      failures = 0;
      await pass(end.retryMs ?? resumeDelay(route, 0), undefined, { signal });
      continue;
    }
    reply?.discard();
    if (reply?.status === 404) return await lost();
    // Another refusal means that the server offers no such stream.
    if (reply !== undefined && (reply.status < 500 || reply.status === 501)) return;
    await pass(resumeDelay(route, failures), undefined, { signal });
  }
}
