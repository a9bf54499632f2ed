import { findValue, isJsonObject, memberOf, rewriteMessage } from '@portolan/mcp-protocol';
import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

const TAG_BYTES = 16;
const MAX_TASK_ID = 4096;

const RELATED = ['_meta', 'io.modelcontextprotocol/related-task', 'taskId'];
/** Places of a task id in the result or the parameters of a message. */
const PLACES: readonly (readonly string[])[] = [['taskId'], ['task', 'taskId'], RELATED];

/** The member and the id of a task there. */
export interface MemberTask {
  readonly member: string;
  readonly taskId: string;
}

/**
 * Ids of tasks as clients see them: they contain the member, with a code that only this process can make. The
 * same task always has the same id.
 */
export class TaskIds {
  readonly #key = randomBytes(32);

  /** Returns the id for clients. */
  seal(task: MemberTask): string {
    const content = Buffer.from(JSON.stringify([task.member, task.taskId]));
    return Buffer.concat([this.#tagOf(content), content]).toString('base64url');
  }

  /** Returns the task of an id. Undefined for an id that was not made here. */
  open(id: string): MemberTask | undefined {
    if (id.length > MAX_TASK_ID || !/^[\w-]+$/.test(id)) return undefined;
    const bytes = Buffer.from(id, 'base64url');
    if (bytes.toString('base64url') !== id) return undefined;
    const content = bytes.subarray(TAG_BYTES);
    if (bytes.length <= TAG_BYTES || !timingSafeEqual(bytes.subarray(0, TAG_BYTES), this.#tagOf(content)))
      return undefined;
    const parsed: unknown = JSON.parse(content.toString('utf8'));
    if (!Array.isArray(parsed)) return undefined;
    return { member: String(parsed[0]), taskId: String(parsed[1]) };
  }

  /** Returns a message of a member with ids for clients. */
  sealIn(member: string, part: 'result' | 'params', text: string): string {
    return this.#replace(part, text, (taskId) => this.seal({ member, taskId }));
  }

  /** Returns a message of a client with the ids of the member. Ids of other members stay, unknown there. */
  openIn(member: string, part: 'result' | 'params', text: string): string {
    return this.#replace(part, text, (id) => {
      const task = this.open(id);
      return task?.member === member ? task.taskId : undefined;
    });
  }

  #replace(part: string, text: string, change: (id: string) => string | undefined): string {
    if (!text.includes('"taskId"')) return text;
    const replacements = PLACES.flatMap((place) => {
      const path = [part, ...place];
      const span = findValue(text, path);
      const id: unknown = span === undefined ? undefined : JSON.parse(text.slice(span.start, span.end));
      const by = typeof id === 'string' ? change(id) : undefined;
      return by === undefined ? [] : [{ path, by: JSON.stringify(by) }];
    });
    return rewriteMessage(text, replacements);
  }

  #tagOf(content: Buffer): Buffer {
    return createHmac('sha256', this.#key).update(content).digest().subarray(0, TAG_BYTES);
  }
}

/** Returns the tasks of the result of `tasks/list`. */
export function tasksIn(result: unknown): readonly Readonly<Record<string, unknown>>[] {
  const tasks = isJsonObject(result) ? memberOf(result, 'tasks') : undefined;
  return Array.isArray(tasks) ? tasks.filter(isJsonObject) : [];
}
