import type { Agent } from 'node:http';
import { type ForwardedHeader, joinAddress, type Logger } from '@portolan/plugin-api';

export interface EndSessionOptions {
  readonly target: URL;
  readonly agent: Agent | undefined;
  readonly forwardHeaders: readonly ForwardedHeader[];
  readonly logger: Logger;
}

const END_MS = 5000;

export async function endBackendSession(
  { target, agent, forwardHeaders, logger }: EndSessionOptions,
  id: string,
  path: string,
): Promise<void> {
  const { request } = target.protocol === 'https:' ? await import('node:https') : await import('node:http');
  try {
    await new Promise<void>((resolve, reject) => {
      const sent = request(joinAddress(target, path), {
        method: 'DELETE',
        agent: agent ?? false,
        signal: AbortSignal.timeout(END_MS),
        headers: {
          ...Object.fromEntries(forwardHeaders.map(({ name, value }) => [name, value])),
          'Mcp-Session-Id': id,
        },
      });
      sent.once('response', (response) => {
        response.resume();
        response.once('close', resolve);
      });
      sent.on('error', reject);
      sent.end();
    });
  } catch (error) {
    logger.debug({ err: error }, 'session could not be ended at the server');
  }
}
