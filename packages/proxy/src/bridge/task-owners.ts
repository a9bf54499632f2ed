import { isJsonObject, memberOf, type RequestMessage, type ResponseMessage } from '@portolan/mcp-protocol';

/** Tasks live on after the answer that began them; those of long ago are forgotten first. */
const MAX_TASKS = 1024;

/** Which session of a shared process began a task: nobody else is told of it. */
export class TaskOwners<Session> {
  readonly #owners = new Map<string, Session>();

  /** Takes note of the task that an answer begins, if it does. */
  note(session: Session, { params }: RequestMessage, { result }: ResponseMessage): void {
    if (memberOf(params, 'task') === undefined) return;
    const task = isJsonObject(result) ? memberOf(result, 'task') : undefined;
    const id = isJsonObject(task) ? memberOf(task, 'taskId') : undefined;
    if (typeof id !== 'string') return;
    this.#owners.delete(id);
    this.#owners.set(id, session);
    const [oldest] = this.#owners.keys();
    if (this.#owners.size > MAX_TASKS && oldest !== undefined) this.#owners.delete(oldest);
  }

  ownerOf(taskId: unknown): Session | undefined {
    return typeof taskId === 'string' ? this.#owners.get(taskId) : undefined;
  }

  forget(session: Session): void {
    for (const [id, owner] of this.#owners) if (owner === session) this.#owners.delete(id);
  }

  clear(): void {
    this.#owners.clear();
  }
}
