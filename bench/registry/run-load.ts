import { type ExpectedResponse, HttpConnection, type WireRequest } from './http-connection.ts';

/** Request that is repeated, with its expected response. */
export interface CheckedRequest {
  readonly request: WireRequest;
  readonly expected: ExpectedResponse;
}

export interface LoadResult {
  readonly requests: number;
  readonly seconds: number;
  readonly latenciesMs: readonly number[];
}

/**
 * Keeps one request in flight on each connection for a duration, and rotates over the requests. Rejects at
 * the first response that differs from the expected one.
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
      // SAFETY: the remainder is a valid index.
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
