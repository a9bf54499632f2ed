import type { ContainerState } from '@portolan/plugin-api';
import type { ContainerStarter, StartedContainer } from './container-starter.ts';
import { describeExit, isRemoved } from './engine-calls.ts';
import { serverEnded } from '../supervise-errors.ts';
import { REFUSED_WRITE } from './note-refused-write.ts';
import type { Supervision } from '../supervision.ts';

export interface ServerExit {
  readonly container: Pick<StartedContainer, 'id' | 'name' | 'writableRoot'>;
  /** Undefined: it is gone. */
  readonly state: ContainerState | undefined;
  /** Whether the workload is this container, so that it ends with it. */
  readonly isWorkload: boolean;
}

/**
 * Decides what the end of a server that nobody asked for means: `again` when it
 * may be started again, `over` when the workload ends, which is then said.
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

/** Ends the workload because somebody else removed its container. Its run config stays. */
export function endRemoved({ lifecycle, context }: Supervision, name: string): void {
  context.logger.warn({ container: name }, 'container was removed by somebody else');
  lifecycle.finish({ how: 'removed', what: 'container' });
}

/** When the engine cannot say, it was not: what was removed is found out when it is started again. */
async function wasRemoved(
  { lifecycle, context }: Supervision,
  starter: ContainerStarter,
  id: string,
): Promise<boolean> {
  try {
    return await isRemoved(starter.parts, id, lifecycle.signal);
  } catch (error) {
    if (!lifecycle.isOver) context.logger.warn({ error }, 'container cannot be looked at');
    return false;
  }
}

/** Tells plugins; what they throw is logged where the hooks are run. */
export async function tellExit(
  { context }: Supervision,
  name: string,
  state: ContainerState | undefined,
): Promise<void> {
  if (state?.exitCode !== undefined) await context.hooks.containerExit({ name, exitCode: state.exitCode });
}

/** A server that ended because it could not write is started once more, so that it can. */
function mayNeedRoot(work: Supervision, starter: ContainerStarter, couldWrite: boolean): boolean {
  // A spare that was started before ends for the same reason.
  if (starter.writableRoot) return !couldWrite;
  if (!work.output.saysReadOnly) return false;
  starter.writableRoot = true;
  work.output.forgetLast();
  const text = 'The server needs to write to its root folder: it is started once more with a writable one.';
  work.report({ report: 'warning', text });
  work.context.logger.warn({}, 'server needs a writable root folder');
  work.record.note((state) => ({ ...state, writableRoot: true }));
  work.notices.say(REFUSED_WRITE, '');
  return true;
}
