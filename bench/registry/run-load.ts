import { type ExpectedAnswer, HttpConnection, type WireRequest } from './http-connection.ts';

/** A request that is sent again and again, and its one right answer. */
export interface CheckedRequest {
  readonly request: WireRequest;
  readonly expected: ExpectedAnswer;
}

export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  readonly latenciesMs: readonly number[];
}

/**
 * Keeps one request in flight on each connection for so long; requests are
 * taken in turn. Every answer is compared with the expected one, and the first
 * that differs rejects.
 */
export async function runLoad(
  connections: readonly HttpConnection[],
  requests: readonly CheckedRequest[],
  durationMs: number,
): Promise<LoadResult> {
  const latenciesMs: number[] = [];
  const started = performance.now();
  const until = started + durationMs;
  let next = 0;
  const work = async (connection: HttpConnection): Promise<void> => {
    for (let sentAt = performance.now(); sentAt < until; ) {
      // SAFETY: the remainder is a place in the list.
      const { request, expected } = requests[next++ % requests.length] as CheckedRequest;
      await connection.send(request, expected);
      const answeredAt = performance.now();
      latenciesMs.push(answeredAt - sentAt);
      sentAt = answeredAt;
    }
  };
  await Promise.all(connections.map(work));
  return { requests: latenciesMs.length, seconds: (performance.now() - started) / 1000, latenciesMs };
}
