import { setTimeout as pause } from 'node:timers/promises';
import { HttpConnection, wireRequest } from './http-connection.ts';
import { memoryOf } from './process-figures.ts';
import { waitForEntries } from './start-portolan.ts';
import type { RunningProcess } from './start-process.ts';
import { percentile } from './statistics.ts';

export interface ImportFigures {
  /** From the start of the server to the first answer that shows the entries. */
  readonly seconds: number;
  readonly entriesPerSecond: number;
  readonly peakMb: number;
  /** Of reads of another registry meanwhile, from the moment each was due. */
  readonly reads: {
    readonly count: number;
    readonly p50Ms: number;
    readonly p99Ms: number;
    readonly worstMs: number;
  };
}

const READ_EVERY_MS = 20;
/** What follows the commit (a checkpoint, a reload) counts as part of the import for who reads. */
const READ_ON_MS = 1500;

/**
 * Watches a server that was started on an empty database import the registry
 * `large` while somebody reads the registry `small`: fifty reads a second, every
 * second one of a page that no cache has.
 */
export async function measureImport(
  server: RunningProcess,
  names: { readonly small: string; readonly large: string },
  count: number,
): Promise<ImportFigures> {
  await waitForEntries(server, names.small);
  const reader = new LightReader(server.url, `/registry/${names.small}/v0.1/servers`);
  const reading = reader.run();
  try {
    await Promise.race([waitForEntries(server, names.large, 300_000), reading]);
    const seconds = (performance.now() - server.startedAt) / 1000;
    await pause(READ_ON_MS);
    const { latenciesMs } = reader;
    return {
      seconds,
      entriesPerSecond: Math.round(count / seconds),
      peakMb: memoryOf(server.pid).peakMb,
      reads: {
        count: latenciesMs.length,
        p50Ms: percentile(latenciesMs, 0.5),
        p99Ms: percentile(latenciesMs, 0.99),
        worstMs: Math.max(...latenciesMs),
      },
    };
  } finally {
    reader.stop();
    await reading;
  }
}

/** Reads on a fixed clock, so that a server that stands still is seen by every read that was due. */
class LightReader {
  readonly latenciesMs: number[] = [];
  readonly #url: URL;
  readonly #path: string;
  #stopped = false;

  constructor(url: URL, path: string) {
    this.#url = url;
    this.#path = path;
  }

  stop(): void {
    this.#stopped = true;
  }

  /** Rejects at the first answer that is no page. */
  async run(): Promise<void> {
    const connection = new HttpConnection(this.#url);
    const started = performance.now();
    try {
      for (let read = 0; !this.#stopped; read += 1) {
        const due = started + read * READ_EVERY_MS;
        await pause(Math.max(0, due - performance.now()));
        const since = new Date(Date.UTC(2020, 0, 1) + read * 1000).toISOString();
        const query = read % 2 === 0 ? '?limit=30' : `?limit=30&updated_since=${since}`;
        const { status, body } = await connection.send(wireRequest(this.#url, this.#path + query));
        if (status !== 200 || !body.includes('"count":30'))
          throw new Error(`${query}: status ${status} during an import`);
        this.latenciesMs.push(performance.now() - due);
      }
    } finally {
      connection.close();
    }
  }
}
