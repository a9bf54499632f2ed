import type { ContainerState } from '@portolan/plugin-api';
import type { ContainerStarter, StartedContainer } from './container-starter.ts';
import { describeExit, isRemoved } from './engine-calls.ts';
import { serverEnded } from '../supervise-errors.ts';
import { REFUSED_WRITE } from './note-refused-write.ts';
import { mayBeMissing, namesRefusedWrite } from './refused-write.ts';
import type { Supervision } from '../supervision.ts';

export interface ServerExit {
  readonly container: Pick<StartedContainer, 'id' | 'name' | 'writableRoot'>;
  /** State of the container; undefined when it is gone. */
  readonly state: ContainerState | undefined;
  /** Whether the workload ends with this container. */
  readonly isWorkload: boolean;
}

/**
 * Decides what follows an unexpected exit of a server: `again` allows a restart, `over` ends the workload.
 * Notifies plugins.
 */
export async function decideExit(
  work: Supervision,
  starter: ContainerStarter,
  exit: ServerExit,
): Promise<'again' | 'over'> {
  const decision = await decide(work, starter, exit);
  const { name: container } = exit.container;
  work.context.logger.debug({ container, exit: describeExit(exit.state), decision }, 'server exited');
  return decision;
}

async function decide(
  work: Supervision,
  starter: ContainerStarter,
  { container, state, isWorkload }: ServerExit,
): Promise<'again' | 'over'> {
  const { lifecycle, config, context } = work;
  await tellExit(work, container.name, state);
  if (lifecycle.isOver) return 'over';
  const how = describeExit(state);
  if (lifecycle.isStarting) {
    if (mayNeedRoot(work, starter, container.writableRoot)) return 'again';
    lifecycle.finish({ how: 'failed', error: serverEnded(config.name, how, state?.exitCode) });
    return 'over';
  }
  if (isWorkload && (await wasRemoved(work, starter, container.id))) {
    endRemoved(work, container.name);
    return 'over';
  }
  if (lifecycle.isOver) return 'over';
  context.logger.warn({ container: container.name, exit: how }, 'server ended');
  if (!isWorkload || !work.order.foreground) return 'again';
  lifecycle.finish({ how: 'exited', exitCode: state?.exitCode ?? 1 });
  return 'over';
}

/**
 * Ends the workload because another program removed its container. The workload's run config is not deleted.
 */
export function endRemoved({ lifecycle, context }: Supervision, name: string): void {
  context.logger.warn({ container: name }, 'container was removed by another program');
  lifecycle.finish({ how: 'removed', what: 'container' });
}

/**
 * Returns whether another program removed the container. Returns false when the engine does not respond; a
 * restart then finds out.
 */
async function wasRemoved(
  { lifecycle, context }: Supervision,
  starter: ContainerStarter,
  id: string,
): Promise<boolean> {
  try {
    return await isRemoved(starter.parts, id, lifecycle.signal);
  } catch (error) {
    if (!lifecycle.isOver) context.logger.warn({ error }, 'container cannot be inspected');
    return false;
  }
}

/** Notifies plugins of the exit. The hook runner logs the errors of plugins. */
export async function tellExit(
  { context }: Supervision,
  name: string,
  state: ContainerState | undefined,
): Promise<void> {
  if (state?.exitCode !== undefined) await context.hooks.containerExit({ name, exitCode: state.exitCode });
}

/**
 * Returns whether to restart the server with a writable root folder, because it exited on a read-only one.
 */
function mayNeedRoot(work: Supervision, starter: ContainerStarter, couldWrite: boolean): boolean {
  // If the root is already writable for new containers, restart only a process that started before that.
  if (starter.writableRoot) return !couldWrite;
  const isRefused = work.output.last.some(
    (line) => namesRefusedWrite(line) && !mayBeMissing(line, work.config),
  );
  if (!isRefused) return false;
  starter.writableRoot = true;
  work.output.forgetLast();
  const text = 'The server needs to write to its root folder: it is restarted with a writable one.';
  work.report({ report: 'warning', text });
  work.context.logger.warn({}, 'server needs a writable root folder');
  work.record.note((state) => ({ ...state, writableRoot: true }));
  work.notices.say(REFUSED_WRITE, '');
  return true;
}
