import { readdirSync, readFileSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Logger } from './plugin-context.ts';

/** Options of `reserveDescriptors`. */
export interface DescriptorReserve {
  /** Name of the listener in log lines. */
  readonly listener: string;
  readonly logger: Logger;
  /** Share of the reserve that connections of this listener may use. 0 for all but operational listeners. */
  readonly shareOfReserve?: number;
  /** File descriptors to share; default: those of this process. */
  readonly budget?: DescriptorBudget;
  /** Monotonic time in milliseconds; default `performance.now`. */
  readonly nowMs?: () => number;
}

interface Connection {
  readonly server: Server;
  requests: number;
}

const MIN_RESERVE = 16;
const MAX_RESERVE = 1024;
/** Maximum age of the count of other descriptors, in milliseconds. */
const COUNT_MS = 1000;
const LOG_EVERY_MS = 60_000;

/** Descriptors of a process, and the connections of all its listeners. */
export class DescriptorBudget {
  /** Maximum number of descriptors. Undefined where the system does not report it: then nothing is limited. */
  readonly limit: number | undefined;
  /** Open connections of all listeners, ordered by the end of their last request, oldest first. */
  readonly connections = new Map<Socket, Connection>();
  readonly #countOpen: () => number;
  #others = 0;
  #countedMs = Number.NEGATIVE_INFINITY;

  constructor(limit: number | undefined, countOpen: () => number) {
    this.limit = limit;
    this.#countOpen = countOpen;
  }

  /** Returns the number of descriptors that are not connections. The count is at most a second old. */
  countOthers(nowMs: number): number {
    if (nowMs - this.#countedMs >= COUNT_MS) {
      this.#others = Math.max(0, this.#countOpen() - this.connections.size);
      this.#countedMs = nowMs;
    }
    return this.#others;
  }

  /**
   * Returns the connection that has been idle longest. Prefers connections of the given server and never
   * returns `except`.
   */
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

/** Descriptors of this process as Linux reports them; other systems have no known limit. */
const PROCESS_BUDGET = new DescriptorBudget(
  readLimit(),
  () => readdirSync('/proc/self/fd').length - 1, // the folder itself is open while it is read
);

/**
 * Keeps a reserve of file descriptors for files, the database and outgoing requests. When all others are in
 * use, a new connection closes the longest idle one, or is closed itself. Logs a warning at most once a
 * minute. Call it when all event listeners of the server are registered.
 */
export function reserveDescriptors(server: Server, reserve: DescriptorReserve): void {
  const { shareOfReserve = 0, budget = PROCESS_BUDGET, nowMs = () => performance.now() } = reserve;
  const { limit, connections } = budget;
  if (limit === undefined) return;
  const reserved = Math.min(MAX_RESERVE, Math.max(MIN_RESERVE, Math.floor(limit / 8))) * (1 - shareOfReserve);
  const warn = createWarning(reserve, budget, nowMs);
  server.on('connection', (socket: Socket) => {
    connections.set(socket, { server, requests: 0 });
    socket.once('close', () => connections.delete(socket));
    // Counting takes longer the more descriptors are open, so skip it while the limit is far away.
    if (connections.size * 2 < limit && limit > 4 * MAX_RESERVE) return;
    if (connections.size <= limit - reserved - budget.countOthers(nowMs())) return;
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
  // Node.js responds to these requests itself unless a listener is registered.
  for (const event of ['checkContinue', 'checkExpectation'])
    if (server.listenerCount(event) > 0) server.prependListener(event, follow);
}

/** Logs at most once a minute, with the number since the last line. */
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
