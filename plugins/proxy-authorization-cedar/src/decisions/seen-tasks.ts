import { type Identity, isJsonObject } from '@portolan/plugin-api';
import { LRUCache } from 'lru-cache';

interface Called {
  readonly name: string;
  readonly args?: unknown;
}

export interface SeenTask<Target extends Called> {
  readonly target: Target;
  readonly owner: string;
}

/**
 * The least recently used task is evicted, and denied from then on. The arguments that began a task can have
 * megabytes.
 */
const MAX_TASKS = 10_000;
const MAX_CHARACTERS = 64 * 1024 * 1024;

export class SeenTasks<Target extends Called> {
  readonly #tasks = new LRUCache<string, SeenTask<Target>>({ max: MAX_TASKS, maxSize: MAX_CHARACTERS });

  /** Replaces an earlier task with the same id. */
  learn(result: unknown, task: SeenTask<Target>): void {
    const id = taskIdIn(result);
    if (id !== undefined) this.#tasks.set(id, task, { size: id.length + sizeOf(task) });
  }

  find(id: string): SeenTask<Target> | undefined {
    return this.#tasks.get(id);
  }

  /** Returns the task if the caller began it. */
  findOwn(id: string, caller: Identity | undefined): SeenTask<Target> | undefined {
    const task = this.#tasks.get(id);
    return task !== undefined && task.owner === ownerOf(caller) ? task : undefined;
  }
}

function sizeOf({ target: { name, args }, owner }: SeenTask<Called>): number {
  return 100 + name.length + owner.length + (args === undefined ? 0 : JSON.stringify(args).length);
}

export function beginsTask(result: unknown): boolean {
  return taskIdIn(result) !== undefined;
}

/**
 * Returns the task id. In revision 2025-11-25 it is in `task`; in later ones the result itself is the task.
 */
function taskIdIn(result: unknown): string | undefined {
  if (!isJsonObject(result)) return undefined;
  const { task, resultType } = result;
  const inner = isJsonObject(task) ? task['taskId'] : undefined;
  const own = resultType === 'task' ? result['taskId'] : undefined;
  return [inner, own].find((id): id is string => typeof id === 'string');
}

/** Returns the owner of a task. It includes the issuer, because two providers can use the same subject. */
export function ownerOf(caller: Identity | undefined): string | undefined {
  if (caller === undefined) return undefined;
  return JSON.stringify([caller.provider, caller.claims['iss'], caller.subject]);
}
