import type { ContainerEngine, EngineDescription } from '@portolan/plugin-api';
import { untilAborted } from '../until-aborted.ts';

/** For so long what an engine said of itself is taken for what it would say now. */
const FRESH_MS = 5_000;

interface Answer {
  readonly description: EngineDescription;
  readonly at: Date;
}

/** For so long an answer is waited for that nobody needs yet. */
const MOST_MS = 5_000;

/** What is asked of an engine here. */
type Describing = Pick<ContainerEngine, 'describe'>;

const ahead = new WeakMap<Describing, Promise<Answer | undefined>>();

/**
 * Asks an engine what it is before it is known for which workload: it takes some 10 ms, and more while the engine does
 * other things. Never rejects: whoever needs the answer asks again.
 */
export async function describeAhead(runtime: Describing, clock: () => Date): Promise<void> {
  const asked = askNow(runtime, clock).catch(() => undefined);
  ahead.set(runtime, asked);
  await asked;
}

/** What an engine is: what it said a moment ago, once, or what it says now. Throws what asking it throws, and the signal's reason. */
export async function describeEngine(
  runtime: Describing,
  clock: () => Date,
  signal: AbortSignal,
): Promise<EngineDescription> {
  const asked = ahead.get(runtime);
  ahead.delete(runtime);
  signal.throwIfAborted();
  const known = asked === undefined ? undefined : await untilAborted(asked, signal);
  if (known === undefined) return await runtime.describe(signal);
  const ageMs = clock().getTime() - known.at.getTime();
  return ageMs >= 0 && ageMs < FRESH_MS ? known.description : await runtime.describe(signal);
}

async function askNow(runtime: Describing, clock: () => Date): Promise<Answer> {
  return { description: await runtime.describe(AbortSignal.timeout(MOST_MS)), at: clock() };
}
