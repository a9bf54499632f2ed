import { Worker } from 'node:worker_threads';
import type { SqliteExecutor, SqliteResult } from './sqlite-executor.ts';

export interface WorkerOrder {
  readonly id: number;
  /** Undefined in the message that closes the connection and ends the worker. */
  readonly sql?: string;
  readonly parameters: readonly unknown[];
}

export interface WorkerReply {
  readonly id: number;
  readonly result?: SqliteResult;
  readonly error?: { readonly message: string; readonly errcode: number | undefined };
}

const IDLE_MS = 10_000;

/**
 * The thread starts with the first statement and ends after ten idle seconds. When it dies during a
 * transaction, the remaining statements are rejected, because a new connection would run them outside of it.
 */
export class WorkerExecutor implements SqliteExecutor {
  readonly #path: string;
  readonly #requireFile: () => void;
  readonly #waiting = new Map<number, PromiseWithResolvers<SqliteResult>>();
  #worker: Worker | undefined;
  #ended: Promise<void> = Promise.resolve();
  #idle: NodeJS.Timeout | undefined;
  #transaction: 'none' | 'open' | 'lost' = 'none';
  #isClosed = false;
  #lastId = 0;

  /** `requireFile` throws when the open file is no longer the one at its path. */
  constructor(path: string, requireFile: () => void) {
    this.#path = path;
    this.#requireFile = requireFile;
  }

  async execute(sql: string, parameters: readonly unknown[]): Promise<SqliteResult> {
    if (this.#transaction === 'lost') return this.#refuseRest(sql);
    if (this.#isClosed) throw new Error('the database is closed');
    if (this.#transaction === 'none') this.#requireFile();
    clearTimeout(this.#idle);
    try {
      const result = await this.#ask(this.#worker ?? (await this.#start()), sql, parameters);
      if (sql.startsWith('begin')) this.#transaction = 'open';
      else if (sql === 'commit') this.#transaction = 'none';
      return result;
    } finally {
      if (sql === 'rollback') this.#transaction = 'none';
      this.#endWhenIdle();
    }
  }

  /** Waits for pending statements and rejects later ones. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#end();
  }

  #ask(worker: Worker, sql: string, parameters: readonly unknown[]): Promise<SqliteResult> {
    const id = ++this.#lastId;
    worker.postMessage({ id, sql, parameters } satisfies WorkerOrder);
    const waiting = Promise.withResolvers<SqliteResult>();
    this.#waiting.set(id, waiting);
    return waiting.promise;
  }

  #refuseRest(sql: string): SqliteResult {
    if (sql !== 'rollback') throw new Error('the writing thread ended in the middle of a transaction');
    this.#transaction = 'none';
    return { rows: [], changes: 0 };
  }

  async #end(): Promise<void> {
    clearTimeout(this.#idle);
    this.#worker?.postMessage({ id: 0, parameters: [] } satisfies WorkerOrder);
    this.#worker = undefined;
    if (this.#transaction === 'open') this.#transaction = 'lost';
    await this.#ended;
  }

  async #start(): Promise<Worker> {
    await this.#ended; // an earlier thread may still be closing its connection
    if (this.#worker !== undefined) return this.#worker;
    const file = import.meta.url.endsWith('.ts') ? './sqlite-worker.ts' : './sqlite-worker.js';
    const worker = new Worker(new URL(file, import.meta.url), { workerData: { path: this.#path } });
    const ended = Promise.withResolvers<void>();
    this.#worker = worker;
    this.#ended = ended.promise;
    worker.on('message', (reply: WorkerReply) => this.#settle(reply));
    worker.on('error', (error) => this.#failAll(error));
    worker.on('exit', () => {
      this.#failAll(new Error('the writing thread ended'));
      if (this.#worker === worker) this.#worker = undefined;
      ended.resolve();
    });
    return worker;
  }

  #settle(reply: WorkerReply): void {
    const waiting = this.#waiting.get(reply.id);
    this.#waiting.delete(reply.id);
    if (reply.result !== undefined) waiting?.resolve(reply.result);
    else waiting?.reject(Object.assign(new Error(reply.error?.message), { errcode: reply.error?.errcode }));
  }

  #failAll(error: unknown): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
    if (this.#transaction === 'open') this.#transaction = 'lost';
  }

  #endWhenIdle(): void {
    clearTimeout(this.#idle);
    if (this.#isClosed || this.#transaction !== 'none' || this.#waiting.size > 0) return;
    this.#idle = setTimeout(() => void this.#end(), IDLE_MS).unref();
  }
}
