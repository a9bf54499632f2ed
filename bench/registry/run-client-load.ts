import { Pool } from 'undici';
import type { CheckedRequest, LoadResult } from './run-load.ts';

/**
 * Like `runLoad`, but with undici, the fastest client library of Node.js. A client costs more than a bare
 * server, so the rate is what a Node.js program reaches, not the server's maximum.
 */
export async function runClientLoad(
  pool: Pool,
  connections: number,
  { request: { path, headers }, expected }: CheckedRequest,
  durationMs: number,
): Promise<LoadResult> {
  const latenciesMs: number[] = [];
  const started = performance.now();
  const work = async (): Promise<void> => {
    for (let sentAt = performance.now(); sentAt - started < durationMs; ) {
      const { statusCode, body } = await pool.request({ path, method: 'GET', headers });
      const bytes = Buffer.from(await body.arrayBuffer());
      if (statusCode !== expected.status || !bytes.equals(expected.body)) {
        throw new Error(
          `${path}: found status ${statusCode} with ${bytes.length} bytes; another answer is expected`,
        );
      }
      const answeredAt = performance.now();
      latenciesMs.push(answeredAt - sentAt);
      sentAt = answeredAt;
    }
  };
  await Promise.all(Array.from({ length: connections }, work));
  return { requests: latenciesMs.length, seconds: (performance.now() - started) / 1000, latenciesMs };
}
