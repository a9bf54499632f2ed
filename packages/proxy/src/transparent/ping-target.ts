import type { Agent } from 'node:http';

const PING = '{"jsonrpc":"2.0","id":"portolan-ping","method":"ping"}';

export interface PingOptions {
  readonly target: URL;
  readonly agent: Agent | undefined;
  /** Whether it takes POST alone. */
  readonly isStateless: boolean;
}

/**
 * Asks whether a server is there: any answer from 200 to 499 says so. The
 * connection is given up with the head of the answer, since it may be a stream.
 */
export async function pingTarget(
  { target, agent, isStateless }: PingOptions,
  signal: AbortSignal,
): Promise<void> {
  const { request } = target.protocol === 'https:' ? await import('node:https') : await import('node:http');
  const status = await new Promise<number>((resolve, reject) => {
    const ping = request(target, {
      method: isStateless ? 'POST' : 'GET',
      agent: agent ?? false,
      signal,
      headers: {
        Accept: 'application/json, text/event-stream',
        ...(isStateless ? { 'Content-Type': 'application/json' } : {}),
      },
    });
    ping.once('response', (answer) => {
      resolve(answer.statusCode ?? 0);
      ping.destroy();
    });
    ping.on('error', reject);
    ping.end(isStateless ? PING : undefined);
  });
  if (status < 200 || status >= 500) throw new Error(`the server answered with status ${status}`);
}
