import { type Identity, isJsonObject } from '@portolan/plugin-api';
import { LRUCache } from 'lru-cache';

/** What a call is asked about, in the words of whoever decides. */
interface Called {
  readonly name: string;
  readonly args?: unknown;
}

/** What began a task, and who. */
export interface SeenTask<Target extends Called> {
  readonly target: Target;
  readonly owner: string;
}

/** Those of long ago are forgotten first, and so denied from then on. What began them may be megabytes of arguments. */
const MAX_TASKS = 10_000;
const MAX_CHARACTERS = 64 * 1024 * 1024;

/** The tasks that this proxy has seen begin. */
export class SeenTasks<Target extends Called> {
  readonly #tasks = new LRUCache<string, SeenTask<Target>>({ max: MAX_TASKS, maxSize: MAX_CHARACTERS });

  /** Takes note of the task that an answer to a call begins, if it does. Of one id, the last counts. */
  learn(result: unknown, task: SeenTask<Target>): void {
    const id = taskIdIn(result);
    if (id !== undefined) this.#tasks.set(id, task, { size: id.length + sizeOf(task) });
  }

  find(id: string): SeenTask<Target> | undefined {
    return this.#tasks.get(id);
  }

  /** The task, if it is the caller's. */
  findOwn(id: string, caller: Identity | undefined): SeenTask<Target> | undefined {
    const task = this.#tasks.get(id);
    return task !== undefined && task.owner === ownerOf(caller) ? task : undefined;
  }
}

/** Of the texts that a client has chosen. */
function sizeOf({ target: { name, args }, owner }: SeenTask<Called>): number {
  return 100 + name.length + owner.length + (args === undefined ? 0 : JSON.stringify(args).length);
}

/** Whether an answer to a call begins a task: most do not, and nothing has to be known of them. */
export function beginsTask(result: unknown): boolean {
  return taskIdIn(result) !== undefined;
}

/** In 2025-11-25 the task stands in `task`; later results are the task, and say so. */
function taskIdIn(result: unknown): string | undefined {
  if (!isJsonObject(result)) return undefined;
  const { task, resultType } = result;
  const inner = isJsonObject(task) ? task['taskId'] : undefined;
  const own = resultType === 'task' ? result['taskId'] : undefined;
  return [inner, own].find((id): id is string => typeof id === 'string');
}

/** Who owns a task; one name may stand for others at another provider. */
export function ownerOf(caller: Identity | undefined): string | undefined {
  if (caller === undefined) return undefined;
  return JSON.stringify([caller.provider, caller.claims['iss'], caller.subject]);
}
