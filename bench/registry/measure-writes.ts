import { setTimeout as pause } from 'node:timers/promises';
import { type BenchCaller, EVERYBODY } from './callers.ts';
import { HttpConnection, type WireRequest, wireWrite } from './http-connection.ts';
import { type CheckedRequest, runLoad } from './run-load.ts';
import type { RunningProcess } from './start-process.ts';
import { percentile } from './statistics.ts';

export interface WriteFigures {
  readonly count: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly worstMs: number;
  /** Rate of concurrent reads. */
  readonly readsPerSecond: number;
  readonly readsP99Ms: number;
}

export const WRITES = ['publish a version', 'change claims'] as const;
export type WriteName = (typeof WRITES)[number];
export type WriteFiguresByName = Readonly<Record<WriteName, WriteFigures>>;

const WRITE_EVERY_MS = 25;
const READ_TURN_MS = 200;
const NAME = 'com.acme.bench/written';

export interface WriteLoad {
  readonly publisher: BenchCaller;
  /** Two teams of the publisher, without readers. */
  readonly writers: readonly [string, string];
  readonly reads: readonly CheckedRequest[];
  readonly connections: number;
  readonly count: number;
}

/**
 * Publishes versions of one entry, then moves it between two classes, one write at a time, while readers send
 * requests at full speed. Each write invalidates every cached page. No reader may see the entry, so their
 * responses stay identical.
 */
export async function measureWrites(server: RunningProcess, load: WriteLoad): Promise<WriteFiguresByName> {
  const { headers } = load.publisher;
  const claimsOf = (at: number) => ({ ...EVERYBODY, team: load.writers[at % 2 === 0 ? 0 : 1] });
  const publish = (at: number): WireRequest =>
    wireWrite(server.url, 'POST', '/v1/entries', {
      headers,
      body: { claims: claimsOf(0), server: documentOf(`1.0.${at}`) },
    });
  const relabel = (at: number): WireRequest =>
    wireWrite(server.url, 'PUT', `/v1/entries/server/${encodeURIComponent(NAME)}/claims`, {
      headers,
      body: { claims: claimsOf(at + 1) },
    });
  return {
    'publish a version': await measureWrite(server, load, publish, 201),
    'change claims': await measureWrite(server, load, relabel, 204),
  };
}

function documentOf(version: string): object {
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: NAME,
    description: 'Written while others read.',
    version,
    remotes: [{ type: 'streamable-http', url: 'https://written.acme.example/mcp' }],
  };
}

async function measureWrite(
  server: RunningProcess,
  { reads, connections, count }: WriteLoad,
  requestAt: (at: number) => WireRequest,
  expectedStatus: number,
): Promise<WriteFigures> {
  const done = new AbortController();
  const reading = readUntil(done.signal, server, reads, connections);
  try {
    const writing = writeSome(server, count, requestAt, expectedStatus);
    // A wrong read ends the measurement.
    const latenciesMs = await Promise.race([writing, reading.then(() => writing)]);
    done.abort();
    const { readsPerSecond, readsP99Ms } = await reading;
    return {
      count,
      p50Ms: percentile(latenciesMs, 0.5),
      p99Ms: percentile(latenciesMs, 0.99),
      worstMs: Math.max(...latenciesMs),
      readsPerSecond,
      readsP99Ms,
    };
  } finally {
    done.abort();
    await reading;
  }
}

async function readUntil(
  signal: AbortSignal,
  server: RunningProcess,
  reads: readonly CheckedRequest[],
  connections: number,
): Promise<Pick<WriteFigures, 'readsPerSecond' | 'readsP99Ms'>> {
  const pool = Array.from({ length: connections }, () => new HttpConnection(server.url));
  const latenciesMs: number[] = [];
  let seconds = 0;
  try {
    while (!signal.aborted) {
      const turn = await runLoad(pool, reads, READ_TURN_MS);
      seconds += turn.seconds;
      for (const latency of turn.latenciesMs) latenciesMs.push(latency);
    }
  } finally {
    for (const connection of pool) connection.close();
  }
  return { readsPerSecond: latenciesMs.length / seconds, readsP99Ms: percentile(latenciesMs, 0.99) };
}

/** Returns the milliseconds of each write. */
async function writeSome(
  server: RunningProcess,
  count: number,
  requestAt: (at: number) => WireRequest,
  expectedStatus: number,
): Promise<readonly number[]> {
  const connection = new HttpConnection(server.url);
  const latenciesMs: number[] = [];
  try {
    for (let at = 0; at < count; at += 1) {
      const sentAt = performance.now();
      const { status, body } = await connection.send(requestAt(at));
      latenciesMs.push(performance.now() - sentAt);
      if (status !== expectedStatus) {
        throw new Error(
          `a write was answered with status ${status}, expected ${expectedStatus}: ${body.toString()}`,
        );
      }
      await pause(WRITE_EVERY_MS);
    }
  } finally {
    connection.close();
  }
  return latenciesMs;
}
