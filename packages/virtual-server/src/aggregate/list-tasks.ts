import { isJsonObject, type JsonRecord, memberOf, ownRequest } from '@portolan/mcp-protocol';
import { setTimeout as passing } from 'node:timers/promises';
import { tasksIn } from '../sealing/task-ids.ts';
import type { Aggregate } from './aggregate.ts';
import { askLink, type ListAccess } from './list-access.ts';

/** Maximum number of pages of tasks of one member. */
const MAX_TASK_PAGES = 20;
/** Milliseconds to wait for the tasks of one member. */
const TASKS_MS = 2000;

const NO_TASKS: readonly JsonRecord[] = [];

/** Returns the tasks of all members with ids for clients. A member that does not respond is left out. */
export async function listTasks(aggregate: Aggregate, access: ListAccess): Promise<readonly JsonRecord[]> {
  const lists = await Promise.all(
    aggregate.members.map(async (member) => {
      const tasks = memberOf(member.capabilities, 'tasks');
      if (!isJsonObject(tasks) || memberOf(tasks, 'list') === undefined) return [];
      const late = passing(TASKS_MS, NO_TASKS, { ref: false });
      const own = await Promise.race([ownTasks(member, access), late]).catch(() => NO_TASKS);
      return own.map((task) => ({
        ...task,
        taskId: aggregate.taskIds.seal({ member: member.name, taskId: String(task['taskId']) }),
      }));
    }),
  );
  return lists.flat();
}

async function ownTasks(
  member: Aggregate['members'][number],
  { links, sender: client, params }: ListAccess,
): Promise<readonly JsonRecord[]> {
  const sender = member.callerOf(client);
  const tasks: JsonRecord[] = [];
  let cursor: unknown;
  for (let page = 0; page < MAX_TASK_PAGES; page += 1) {
    const link = await links.of(member, sender);
    const request = ownRequest('tasks/list', typeof cursor === 'string' ? { ...params, cursor } : params);
    const { result } = await askLink(link, request, sender);
    tasks.push(...tasksIn(result));
    cursor = isJsonObject(result) ? memberOf(result, 'nextCursor') : undefined;
    if (typeof cursor !== 'string') break;
  }
  return tasks;
}
