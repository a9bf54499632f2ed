import type { ContainerEngine, EngineDescription } from '@portolan/plugin-api';
import { untilAborted } from '../until-aborted.ts';

/** For so long what an engine said of itself is taken for what it would say now. */
const FRESH_MS = 5_000;

interface Answer {
  readonly description: EngineDescription;
  readonly atMs: number;
}

/** For so long an answer is waited for that nobody needs yet. */
const MAX_MS = 5_000;

const monotonicMs = (): number => performance.now();

/** What is asked of an engine here. */
type Describing = Pick<ContainerEngine, 'describe'>;

const ahead = new WeakMap<Describing, Promise<Answer | undefined>>();

/**
 * Asks an engine what it is before it is known for which workload: it takes some 10 ms, and more while the engine does
 * other things. Never rejects: whoever needs the answer asks again.
 */
export async function describeAhead(runtime: Describing, nowMs = monotonicMs): Promise<void> {
  const asked = askNow(runtime, nowMs).catch(() => undefined);
  ahead.set(runtime, asked);
  await asked;
}

/** What an engine is: what it said a moment ago, once, or what it says now. Throws what asking it throws, and the signal's reason. */
export async function describeEngine(
  runtime: Describing,
  signal: AbortSignal,
  nowMs = monotonicMs,
): Promise<EngineDescription> {
  const asked = ahead.get(runtime);
  ahead.delete(runtime);
  signal.throwIfAborted();
  const known = asked === undefined ? undefined : await untilAborted(asked, signal);
  if (known === undefined) return await runtime.describe(signal);
  return nowMs() - known.atMs < FRESH_MS ? known.description : await runtime.describe(signal);
}

async function askNow(runtime: Describing, nowMs: () => number): Promise<Answer> {
  return { description: await runtime.describe(AbortSignal.timeout(MAX_MS)), atMs: nowMs() };
}
