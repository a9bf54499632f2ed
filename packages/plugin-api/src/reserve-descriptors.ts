import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from './plugin.ts';

/** Options of `reserveDescriptors`. */
export interface DescriptorReserve {
  /** Name of the listener in log lines. */
  readonly listener: string;
  readonly logger: Logger;
  /** Share of the reserve that these connections may use: 0 for all but operational listeners. */
  readonly shareOfReserve?: number;
  /** Default: that of this process. */
  readonly budget?: DescriptorBudget;
  /** Monotonic time in milliseconds; default `performance.now`. */
  readonly nowMs?: () => number;
}

interface Connection {
  readonly server: Server;
  /** How many are running on it. */
  requests: number;
}

const MIN_RESERVE = 16;
const MAX_RESERVE = 1024;
/** How old the count of other descriptors may be. */
const COUNT_MS = 1000;
const LOG_EVERY_MS = 60_000;

/** The file descriptors of a process, and the connections of all its listeners. */
export class DescriptorBudget {
  /** Undefined where the system does not report it: then nothing is limited. */
  readonly limit: number | undefined;
  /** By the end of their last request, oldest first. */
  readonly connections = new Map<Socket, Connection>();
  readonly #countOpen: () => number;
  #others = 0;
  #countedMs = Number.NEGATIVE_INFINITY;

  constructor(limit: number | undefined, countOpen: () => number) {
    this.limit = limit;
    this.#countOpen = countOpen;
  }

  /** Descriptors that are no connection, as they were at most a second ago. */
  countOthers(nowMs: number): number {
    if (nowMs - this.#countedMs >= COUNT_MS) {
      this.#others = Math.max(0, this.#countOpen() - this.connections.size);
      this.#countedMs = nowMs;
    }
    return this.#others;
  }

  /** Returns the connection without a request that is idle longest, one of the server's own first. */
  findIdle(server: Server, except: Socket): Socket | undefined {
    let other: Socket | undefined;
    for (const [socket, connection] of this.connections) {
      if (connection.requests > 0 || socket === except) continue;
      if (connection.server === server) return socket;
      other ??= socket;
    }
    return other;
  }
}

/** Descriptors of this process as Linux reports them; elsewhere no limit is known. */
const PROCESS_BUDGET = new DescriptorBudget(
  readLimit(),
  () => readdirSync('/proc/self/fd').length - 1, // the folder itself is open while it is read
);

/**
 * Keeps a reserve of file descriptors for everything that is no connection: files, the database,
 * outgoing requests. Beyond the rest, a new connection closes the one that is idle longest; when none
 * is idle, the new one is closed. A warning says so once a minute. Call it when the server has all its
 * listeners.
 */
export function reserveDescriptors(server: Server, reserve: DescriptorReserve): void {
  const { shareOfReserve = 0, budget = PROCESS_BUDGET, nowMs = () => performance.now() } = reserve;
  const { limit, connections } = budget;
  if (limit === undefined) return;
  const kept = Math.min(MAX_RESERVE, Math.max(MIN_RESERVE, Math.floor(limit / 8))) * (1 - shareOfReserve);
  const warn = createWarning(reserve, budget, nowMs);
  server.on('connection', (socket: Socket) => {
    connections.set(socket, { server, requests: 0 });
    socket.once('close', () => connections.delete(socket));
    // Counting takes longer the more descriptors are open: far from the limit it is spared.
    if (connections.size * 2 < limit && limit > 4 * MAX_RESERVE) return;
    if (connections.size <= limit - kept - budget.countOthers(nowMs())) return;
    const closed = budget.findIdle(server, socket) ?? socket;
    connections.delete(closed);
    closed.destroy();
    warn();
  });
  const follow = ({ socket }: IncomingMessage, response: ServerResponse): void => {
    const connection = connections.get(socket);
    if (connection === undefined) return;
    connection.requests += 1;
    response.once('close', () => {
      connection.requests -= 1;
      if (connections.delete(socket)) connections.set(socket, connection);
    });
  };
  server.prependListener('request', follow);
  // Node.js answers these itself unless somebody listens.
  for (const event of ['checkContinue', 'checkExpectation'])
    if (server.listenerCount(event) > 0) server.prependListener(event, follow);
}

/** Returns a function that logs a closed connection, at most once a minute with the number since the last line. */
function createWarning(
  { listener, logger }: DescriptorReserve,
  { limit, connections }: DescriptorBudget,
  nowMs: () => number,
): () => void {
  let loggedMs = Number.NEGATIVE_INFINITY;
  let closed = 0;
  return () => {
    closed += 1;
    if (nowMs() - loggedMs < LOG_EVERY_MS) return;
    loggedMs = nowMs();
    const fields = { listener, limit, connections: connections.size, closed };
    logger.warn(fields, 'connections are closed: too few file descriptors (raise the limit of open files)');
    closed = 0;
  };
}

function readLimit(): number | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return soft === undefined ? undefined : Number(soft);
  } catch {
    return undefined; // a system without /proc
  }
}
