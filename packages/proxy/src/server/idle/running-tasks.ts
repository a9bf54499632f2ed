import { isJsonObject, type JsonRecord, memberOf } from '@portolan/mcp-protocol';

/** Time in milliseconds after which a task without a lifetime counts as forgotten, when no request names it. */
const MAX_UNSEEN_TASK_MS = 24 * 60 * 60_000;

/** Maximum number of tasks of one connection that keep its server running. The oldest are forgotten first. */
const MAX_RUNNING_TASKS = 1000;

const FAILED: readonly unknown[] = ['failed', 'cancelled'];

/**
 * Tasks of a server whose work or result would be lost if the server stopped. A task counts until its result was
 * delivered, it has failed, or its lifetime is over.
 */
export class RunningTasks {
  readonly #endsMs = new Map<string, number>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  get isEmpty(): boolean {
    const now = this.#nowMs();
    for (const [id, endsMs] of this.#endsMs) if (endsMs <= now) this.#endsMs.delete(id);
    return this.#endsMs.size === 0;
  }

  /** Records the tasks in the result of a request with these parameters. */
  noteResult(method: string, params: JsonRecord | undefined, result: unknown): void {
    const id = memberOf(params, 'taskId');
    if (method === 'tasks/result' && typeof id === 'string') this.#endsMs.delete(id);
    else if (isJsonObject(result)) this.#noteTask(result);
  }

  /** Records an error response. An error of `tasks/get` means that the server no longer knows the task. */
  noteError(method: string, params: JsonRecord | undefined): void {
    const id = memberOf(params, 'taskId');
    if (method === 'tasks/get' && typeof id === 'string') this.#endsMs.delete(id);
  }

  /** Records the status of a task that a notification carries. */
  noteStatus(params: JsonRecord | undefined): void {
    const id = memberOf(params, 'taskId');
    if (typeof id === 'string' && FAILED.includes(memberOf(params, 'status'))) this.#endsMs.delete(id);
  }

  #noteTask(result: JsonRecord): void {
    const inner = memberOf(result, 'task');
    const task = isJsonObject(inner) ? inner : result;
    const id = memberOf(task, 'taskId');
    if (typeof id !== 'string') return;
    const status = memberOf(task, 'status');
    // A completed task of a revision without `tasks/result` carries its result itself.
    const isDelivered = status === 'completed' && memberOf(task, 'result') !== undefined;
    if (isDelivered || FAILED.includes(status)) this.#endsMs.delete(id);
    else this.#keep(id, task);
  }

  #keep(id: string, task: JsonRecord): void {
    const lifetimeMs = memberOf(task, 'ttl') ?? memberOf(task, 'ttlMs');
    const isLimited = typeof lifetimeMs === 'number' && lifetimeMs >= 0;
    const fromNowMs = Math.min(isLimited ? lifetimeMs : MAX_UNSEEN_TASK_MS, MAX_UNSEEN_TASK_MS);
    // A lifetime counts from the creation of the task. Without a lifetime, each status of the task renews the limit.
    const known = isLimited ? this.#endsMs.get(id) : undefined;
    this.#endsMs.set(id, known ?? this.#nowMs() + fromNowMs);
    const [oldest] = this.#endsMs.keys();
    if (this.#endsMs.size > MAX_RUNNING_TASKS && oldest !== undefined) this.#endsMs.delete(oldest);
  }
}
