import { Worker } from 'node:worker_threads';
import type { SqliteExecutor, SqliteResult } from './sqlite-executor.ts';

export interface WorkerOrder {
  readonly id: number;
  /** Left out: close and end. */
  readonly sql?: string;
  readonly parameters: readonly unknown[];
}

export interface WorkerAnswer {
  readonly id: number;
  readonly result?: SqliteResult;
  readonly error?: { readonly message: string; readonly errcode: number | undefined };
}

const IDLE_MS = 10_000;

/**
 * Runs statements in a thread of its own. The thread starts with the first
 * statement and ends when nothing was asked of it for ten seconds, since most
 * of the time a registry is only read.
 */
export class WorkerExecutor implements SqliteExecutor {
  readonly #path: string;
  readonly #waiting = new Map<number, PromiseWithResolvers<SqliteResult>>();
  #worker: Worker | undefined;
  #ended: Promise<void> = Promise.resolve();
  #idle: NodeJS.Timeout | undefined;
  #inTransaction = false;
  #lastId = 0;

  constructor(path: string) {
    this.#path = path;
  }

  async execute(sql: string, parameters: readonly unknown[]): Promise<SqliteResult> {
    clearTimeout(this.#idle);
    const worker = this.#worker ?? (await this.#start());
    const id = ++this.#lastId;
    const waiting = Promise.withResolvers<SqliteResult>();
    this.#waiting.set(id, waiting);
    worker.postMessage({ id, sql, parameters } satisfies WorkerOrder);
    const result = await waiting.promise;
    if (sql.startsWith('begin')) this.#inTransaction = true;
    else if (sql === 'commit' || sql === 'rollback') this.#inTransaction = false;
    this.#endWhenIdle();
    return result;
  }

  async close(): Promise<void> {
    clearTimeout(this.#idle);
    this.#worker?.postMessage({ id: 0, parameters: [] } satisfies WorkerOrder);
    this.#worker = undefined;
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
    worker.on('message', (answer: WorkerAnswer) => this.#settle(answer));
    worker.on('error', (error) => this.#failAll(error));
    worker.on('exit', () => {
      this.#failAll(new Error('the writing thread ended'));
      if (this.#worker === worker) this.#worker = undefined;
      ended.resolve();
    });
    return worker;
  }

  #settle(answer: WorkerAnswer): void {
    const waiting = this.#waiting.get(answer.id);
    this.#waiting.delete(answer.id);
    if (answer.result !== undefined) waiting?.resolve(answer.result);
    else waiting?.reject(Object.assign(new Error(answer.error?.message), { errcode: answer.error?.errcode }));
  }

  #failAll(error: unknown): void {
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
    this.#inTransaction = false;
  }

  #endWhenIdle(): void {
    clearTimeout(this.#idle);
    if (this.#inTransaction || this.#waiting.size > 0) return;
    this.#idle = setTimeout(() => void this.close(), IDLE_MS).unref();
  }
}
