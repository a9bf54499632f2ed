import { isJsonObject, memberOf, type RequestMessage, type ResponseMessage } from '@portolan/mcp-protocol';

/** Tasks outlive the response that created them, so the oldest are evicted. */
const MAX_TASKS = 1024;

/** Maps each task to the session that created it: no other session may get its status. */
export class TaskOwners<Session> {
  readonly #owners = new Map<string, Session>();

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
