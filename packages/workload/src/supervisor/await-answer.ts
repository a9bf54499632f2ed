import { setTimeout as pass } from 'node:timers/promises';
import type { Asked } from '@portolan/proxy';
import { timerMs } from './timer-ms.ts';
import { serverSilent } from './supervise-errors.ts';
import { required, type Supervision } from './supervision.ts';

const FIRST_WAIT_MS = 20;
const LONGEST_WAIT_MS = 500;
const TOLD_AFTER_MS = 2000;
const TOLD_EVERY_MS = 5000;

/**
 * Settles when the server answers through its own proxy. Its time counts from
 * the start of its container. Throws ERR_SERVER_SILENT when that is over.
 */
export async function awaitAnswer(work: Supervision): Promise<void> {
  const { lifecycle, order, config } = work;
  await Promise.race([lifecycle.begun, lifecycle.ended]);
  const late = AbortSignal.timeout(timerMs(order.startTimeoutMs));
  const signal = AbortSignal.any([lifecycle.signal, late]);
  let last = 'nothing listens there yet';
  let isAsked = false;
  const tell = tellNowAndThen(work);
  for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(LONGEST_WAIT_MS, waitMs * 1.5)) {
    try {
      isAsked = true;
      const asked = await ask(work, signal);
      isAsked = false;
      if (asked.outcome !== 'nothing') return;
      last = asked.why;
      tell(last);
      await pass(waitMs, undefined, { signal });
    } catch (error) {
      if (!late.aborted || lifecycle.isOver) throw error;
      const why = isAsked ? 'it has no answer to the first request' : last;
      throw serverSilent(config.name, order.startTimeoutMs, why);
    }
  }
}

/** Of a server that takes its time, what it answered last: not at once, since most are only about to start. */
function tellNowAndThen({ report, lifecycle, context }: Supervision): (why: string) => void {
  let nextMs = context.clock().getTime() + TOLD_AFTER_MS;
  return (why) => {
    const now = context.clock().getTime();
    if (now < nextMs || !lifecycle.isStarting) return;
    nextMs = now + TOLD_EVERY_MS;
    report({ report: 'step', step: 'server', text: `Waiting for the server to answer: ${why}` });
  };
}

async function ask(
  { config, context, ownRequests, proxy }: Supervision,
  signal: AbortSignal,
): Promise<Asked> {
  const { askServer } = await import('@portolan/proxy'); // loaded by now, for the front
  const isSse = config.proxy_mode === 'sse' || config.transport === 'sse';
  return await askServer({
    url: new URL(required(proxy, 'proxy').url),
    speaks: isSse ? 'sse' : 'streamable-http',
    endpointPrefix: config.endpoint_prefix,
    version: context.version,
    ownRequests: required(ownRequests, 'ownRequests'),
    signal,
  });
}

/** After a restart: whether the server answers again, and the state says so. Never rejects. */
export async function answersAgain(work: Supervision): Promise<boolean> {
  try {
    await awaitAnswer(work);
    work.record.note((state) => ({ ...state, status: 'running', statusContext: '' }));
    return true;
  } catch (error) {
    if (!work.lifecycle.isOver)
      work.context.logger.warn({ error }, 'server does not answer after its restart');
    return false;
  }
}
