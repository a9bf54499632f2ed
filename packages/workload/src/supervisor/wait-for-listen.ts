import { setTimeout as pass } from 'node:timers/promises';
import { askWorkload } from './ask-workload.ts';
import { timerMs } from './timer-ms.ts';
import { serverSilent, serverSpeaksEvents } from './supervise-errors.ts';
import type { Supervision } from './supervision.ts';
import { isMissing, noteWaiting } from './waiting.ts';

const FIRST_WAIT_MS = 20;
const MAX_WAIT_MS = 500;
const TOLD_AFTER_MS = 2000;
const TOLD_EVERY_MS = 5000;

/**
 * Resolves when the server responds through its proxy. Also resolves when `work.waiting` names a dependency
 * that recovers by itself: the authorization server, the session store, or a remote server that has run
 * before. The timeout counts from the start of the container. Throws ERR_SERVER_SILENT on timeout, and at once
 * for a server of another transport.
 */
export async function waitForListen(work: Supervision): Promise<void> {
  const { lifecycle, order, config, context } = work;
  const { logger } = context;
  await Promise.race([lifecycle.started, lifecycle.ended]);
  const late = AbortSignal.timeout(timerMs(order.startTimeoutMs));
  const signal = AbortSignal.any([lifecycle.signal, late]);
  let last = 'nothing listens there yet';
  let isAsked = false;
  let isAway = false;
  const tell = tellNowAndThen(work);
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(MAX_WAIT_MS, waitMs * 1.5)) {
    try {
      isAsked = true;
      const request = await askWorkload(work, signal);
      isAsked = false;
      if (request.outcome !== 'nothing' || isMissing(work)) {
        logger.debug({ outcome: request.outcome, missing: work.waiting?.why }, 'server is ready');
        return;
      }
      if (request.speaks === 'sse') throw serverSpeaksEvents(config.name, request.why);
      last = request.why;
      logger.debug(
        { why: last, wait_ms: Math.round(waitMs) },
        'server is not ready yet; the supervisor retries',
      );
      isAway = request.status === undefined || request.status >= 500;
      tell(last);
      await pass(waitMs, undefined, { signal });
    } catch (error) {
      if (!late.aborted || lifecycle.isOver) throw error;
      if (isKnownRemote(work) && (isAsked || isAway)) {
        noteWaiting(work, 'waiting', `${config.remote_url} cannot be reached: ${last}; it is tried again`);
        return;
      }
      const why = isAsked ? 'it sent no response to the first request' : last;
      throw serverSilent(config.name, order.startTimeoutMs, why);
    }
  }
}

/**
 * Returns a function that reports why the server is not ready, at intervals. The first report comes after 2
 * s, because most servers are ready by then.
 */
function tellNowAndThen({ report, lifecycle }: Supervision): (why: string) => void {
  let nextMs = performance.now() + TOLD_AFTER_MS;
  return (why) => {
    const now = performance.now();
    if (now < nextMs || !lifecycle.isStarting) return;
    nextMs = now + TOLD_EVERY_MS;
    report({ report: 'step', step: 'server', text: `Waiting for the server to respond: ${why}` });
  };
}

/**
 * Returns whether this is a remote server that has run before. If so, it may be unreachable only for a while,
 * such as after a boot of this machine.
 */
function isKnownRemote({ config, state }: Supervision): boolean {
  return config.remote_url !== '' && state.startedAt !== undefined;
}

/**
 * Waits until the server responds after a restart, and then records `running` in the state. Returns false if
 * it does not respond in time. Never rejects.
 */
export async function answersAgain(work: Supervision): Promise<boolean> {
  try {
    await waitForListen(work);
    if (work.waiting === undefined)
      work.record.note((state) => ({ ...state, status: 'running', statusContext: '' }));
    return true;
  } catch (error) {
    if (!work.lifecycle.isOver)
      work.context.logger.warn({ error }, 'server does not respond after its restart');
    return false;
  }
}
