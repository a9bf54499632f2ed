import { isThisMachine, readRegistryAddress } from '@portolan/registry-client';
import type { WorkloadContext } from '@portolan/workload';
import { reachWorkload } from '@portolan/workload/operations';
import { mcpAddressUnusable } from './mcp-errors.ts';

export const MCP_TRANSPORTS = ['auto', 'streamable-http', 'sse'] as const;
export type McpTransport = (typeof MCP_TRANSPORTS)[number];

/** The server to connect to, as the command line describes it. */
export interface ServerWish {
  /** Name of a workload, or a URL. */
  readonly named: string;
  readonly transport: McpTransport;
  /** Token of `--token-file`, for any server. */
  readonly token: string | undefined;
  /** Token of the environment, only for workloads that authenticate callers. */
  readonly ambientToken: string | undefined;
  readonly headers: readonly string[];
  readonly allowInsecure: boolean;
}

export interface McpServer {
  readonly label: string;
  readonly url: URL;
  readonly transport: 'streamable-http' | 'sse';
  /** Headers of requests, which may contain credentials. */
  readonly headers: Readonly<Record<string, string>>;
}

const HEADER = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+)=([\t\x20-\x7e\x80-\xff]*)$/;

/**
 * Returns the server to connect to. A token of the environment is sent only to the proxy of a workload that
 * authenticates callers and keeps the token. Other workloads and URLs do not get it. Throws
 * ERR_SERVER_ADDRESS, ERR_WORKLOAD_UNKNOWN and ERR_WORKLOAD_NOT_RUNNING.
 */
export async function findServer(
  wish: ServerWish,
  context: Pick<WorkloadContext, 'store'>,
): Promise<McpServer> {
  const input = readHeaders(wish);
  if (!isAddress(wish.named)) {
    const { name, url, transport, asksCallers } = await reachWorkload(wish.named, context);
    const token = wish.token ?? (asksCallers ? wish.ambientToken : undefined);
    const spoken = wish.transport === 'auto' ? transport : wish.transport;
    return { label: name, url: new URL(url), transport: spoken, headers: withToken(input, token) };
  }
  const { url, fault } = readRegistryAddress(wish.named);
  if (fault === 'no-url') throw mcpAddressUnusable(wish.named, 'expected a URL');
  if (fault === 'protocol') throw mcpAddressUnusable(wish.named, 'expected http or https');
  if (fault === 'login') throw mcpAddressUnusable(url.host, 'expected a URL without user name and password');
  const headers = withToken(input, wish.token);
  const isSecret = Object.keys(headers).length > 0;
  if (url.protocol === 'http:' && isSecret && !isThisMachine(url) && !wish.allowInsecure) {
    const clear = 'a token or header would be sent without TLS; --allow-insecure allows it';
    throw mcpAddressUnusable(url.host, clear);
  }
  const byPath = url.pathname.endsWith('/sse') ? 'sse' : 'streamable-http';
  return { label: url.host, url, transport: wish.transport === 'auto' ? byPath : wish.transport, headers };
}

/** Returns whether the name of a server is a URL, and not the name of a workload. */
export function isAddress(named: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\//i.test(named);
}

function readHeaders({ headers }: ServerWish): Readonly<Record<string, string>> {
  return Object.fromEntries(
    headers.map((text) => {
      const [, name, value] = HEADER.exec(text) ?? [];
      // Show only the name, because the value may be a secret.
      if (name === undefined || value === undefined)
        throw mcpAddressUnusable(text.split('=', 1)[0] ?? '', 'expected a header NAME=VALUE');
      return [name, value];
    }),
  );
}

function withToken(
  headers: Readonly<Record<string, string>>,
  token: string | undefined,
): Readonly<Record<string, string>> {
  return token === undefined ? headers : { ...headers, Authorization: `Bearer ${token}` };
}
