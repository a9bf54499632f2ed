import { type Identity, isJsonObject } from '@portolan/plugin-api';
import type { Target } from './target.ts';

/** What began a task, and who. */
export interface SeenTask {
  readonly target: Target;
  readonly owner: string;
}

/** Those of long ago are forgotten first, and so denied from then on. */
const MOST_TASKS = 10_000;

/** The tasks that this proxy has seen begin. */
export class SeenTasks {
  readonly #tasks = new Map<string, SeenTask>();

  /** Takes note of the task that an answer to a call begins, if it does. Of one id, the last counts. */
  learn(result: unknown, task: SeenTask): void {
    const id = taskIdIn(result);
    if (id === undefined) return;
    this.#tasks.delete(id);
    this.#tasks.set(id, task);
    const [oldest] = this.#tasks.keys();
    if (this.#tasks.size > MOST_TASKS && oldest !== undefined) this.#tasks.delete(oldest);
  }

  find(id: string): SeenTask | undefined {
    return this.#tasks.get(id);
  }
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
