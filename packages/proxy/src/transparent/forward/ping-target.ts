import { DISCOVER, ownParams, ownRequest, MESSAGE_TYPES, NEWEST_MODERN } from '@portolan/mcp-protocol';
import type { Agent, RequestOptions } from 'node:http';

const PING = '{"jsonrpc":"2.0","id":"portolan-ping","method":"ping"}';

export interface PingOptions {
  readonly target: URL;
  readonly agent: Agent | undefined;
  readonly isStateless: boolean;
  /** Path at which the server has responded to a client without a handshake, if it has. */
  readonly modernPath: string | undefined;
  readonly version: string;
}

/**
 * Checks whether the server responds with any status from 200 to 499. Closes after the headers, because the
 * response may be a stream.
 */
export async function pingTarget(options: PingOptions, signal: AbortSignal): Promise<void> {
  const { target, agent } = options;
  const { request } = target.protocol === 'https:' ? await import('node:https') : await import('node:http');
  const { path, method, headers, body } = questionFor(options);
  const status = await new Promise<number>((resolve, reject) => {
    const ping = request(target, {
      ...(path === undefined ? {} : { path }),
      method,
      agent: agent ?? false,
      signal,
      headers: { Accept: MESSAGE_TYPES, ...headers },
    });
    ping.once('response', (response) => {
      resolve(response.statusCode ?? 0);
      ping.destroy();
    });
    ping.on('error', reject);
    ping.end(body);
  });
  if (status < 200 || status >= 500) throw new Error(`the server responded with status ${status}`);
}

interface Question extends Pick<RequestOptions, 'path'> {
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * Returns the request for the check. A GET would open a stream, which servers without a handshake do not
 * have.
 */
function questionFor({ modernPath, isStateless, version }: PingOptions): Question {
  const headers = { 'Content-Type': 'application/json' };
  if (modernPath !== undefined) {
    return {
      path: modernPath,
      method: 'POST',
      headers: { ...headers, 'MCP-Protocol-Version': NEWEST_MODERN, 'Mcp-Method': DISCOVER },
      body: ownRequest(DISCOVER, ownParams(version)).text,
    };
  }
  return isStateless ? { method: 'POST', headers, body: PING } : { method: 'GET', headers: {} };
}
