import { setTimeout as pass } from 'node:timers/promises';
import type { ContainerEngine } from '@portolan/plugin-api';
import { containerNameOf } from '@portolan/run-spec';
import { isUnreachable } from './engine-calls.ts';
import type { Supervision } from '../supervision.ts';

/**
 * Time between two checks of the engine, in milliseconds. An unavailable engine is noticed within this
 * interval plus twice the timeout.
 */
const INTERVAL_MS = 3000;
const TIMEOUT_MS = 3000;
const AWAY_INTERVAL_MS = 1000;

export const ENGINE_AWAY = 'the engine does not respond';

/**
 * Checks the engine regularly while the workload runs, but not for members of a virtual server, since the others
 * may do without the engine. After two failures in a row, the engine counts as
 * unavailable: the state and `/health` say so, and the proxy rejects requests that need the engine. The next
 * successful check ends this.
 */
export function watchEngine(work: Supervision, runtime: Pick<ContainerEngine, 'inspectContainer'>): void {
  if (work.member !== undefined) return;
  const stop = new AbortController();
  const watching = watch(work, runtime, stop.signal);
  work.opened.push('engine watch', async () => {
    stop.abort();
    await watching;
  });
}

async function watch(
  work: Supervision,
  runtime: Pick<ContainerEngine, 'inspectContainer'>,
  signal: AbortSignal,
): Promise<void> {
  const name = containerNameOf(work.config.name);
  while (!signal.aborted) {
    try {
      await pass(work.missing === undefined ? INTERVAL_MS : AWAY_INTERVAL_MS, undefined, {
        signal,
        ref: false,
      });
    } catch {
      return; // the workload has ended
    }
    const responds = (await isThere(runtime, name, signal)) || (await isThere(runtime, name, signal));
    if (signal.aborted) return;
    if (responds === (work.missing === undefined)) continue;
    work.missing = responds ? undefined : ENGINE_AWAY;
    work.context.logger.warn({ engine: responds ? 'responds' : 'away' }, 'engine changed');
    noteEngine(work, responds);
  }
}

/** Returns whether the engine responds at all, even with an error. */
async function isThere(
  runtime: Pick<ContainerEngine, 'inspectContainer'>,
  name: string,
  signal: AbortSignal,
): Promise<boolean> {
  const late = AbortSignal.timeout(TIMEOUT_MS);
  try {
    await runtime.inspectContainer(name, AbortSignal.any([signal, late]));
    return true;
  } catch (error) {
    return !late.aborted && !isUnreachable(error);
  }
}

/**
 * Records in the state whether the engine responds. When the engine is available again, resets the status
 * only if this function had set it.
 */
function noteEngine({ record, lifecycle }: Supervision, responds: boolean): void {
  if (lifecycle.isStarting) return;
  record.note((state) => {
    if (!responds) return { ...state, status: 'unhealthy', statusContext: ENGINE_AWAY };
    const isOurs = state.status === 'unhealthy' && state.statusContext === ENGINE_AWAY;
    return isOurs ? { ...state, status: 'running', statusContext: '' } : state;
  });
}
