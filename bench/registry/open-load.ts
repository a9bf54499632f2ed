import { Pool } from 'undici';
import { HttpConnection } from './http-connection.ts';
import { runClientLoad } from './run-client-load.ts';
import { type CheckedRequest, runLoad } from './run-load.ts';
import type { RunningProcess } from './start-process.ts';
import type { Target } from './take-turns.ts';

export interface Load {
  /** Returns a target whose requests are sent in rotation over plain sockets. */
  target(server: RunningProcess, name: string, requests: readonly CheckedRequest[]): Target;
  /** Returns a target with one request through a client library. */
  clientTarget(server: RunningProcess, name: string, request: CheckedRequest): Target;
  close(): Promise<void>;
}

/** Opens `count` connections to each measured server on first use. */
export function openLoad(count: number): Load {
  const pools = new Map<RunningProcess, readonly HttpConnection[]>();
  const clients = new Map<RunningProcess, Pool>();
  return {
    target(server, name, requests) {
      const pool = pools.get(server) ?? Array.from({ length: count }, () => new HttpConnection(server.url));
      pools.set(server, pool);
      return { name, pid: server.pid, run: (durationMs) => runLoad(pool, requests, durationMs) };
    },
    clientTarget(server, name, request) {
      const client = clients.get(server) ?? new Pool(server.url.origin, { connections: count });
      clients.set(server, client);
      return {
        name,
        pid: server.pid,
        run: (durationMs) => runClientLoad(client, count, request, durationMs),
      };
    },
    async close() {
      for (const pool of pools.values()) for (const connection of pool) connection.close();
      for (const client of clients.values()) await client.close();
    },
  };
}
