import type { ContainerEngine, EngineDescription } from '@portolan/plugin-api';
import { untilAborted } from '../until-aborted.ts';

/** For so long what an engine said of itself is taken for what it would say now. */
const FRESH_MS = 5_000;

interface Answer {
  readonly description: EngineDescription;
  readonly at: Date;
}

/** An engine that says nothing is no better asked twice. */
const MOST_MS = 5_000;

const ahead = new WeakMap<ContainerEngine, Promise<Answer | undefined>>();

/**
 * Asks an engine what it is before it is known for which workload: it takes some 10 ms, and more while the engine does
 * other things. Never rejects: whoever needs the answer asks again.
 */
export async function describeAhead(runtime: ContainerEngine, clock: () => Date): Promise<void> {
  const asked = askNow(runtime, clock).catch(() => undefined);
  ahead.set(runtime, asked);
  await asked;
}

/** What an engine is: what it said a moment ago, once, or what it says now. Throws what asking it throws, and the signal's reason. */
export async function describeEngine(
  runtime: ContainerEngine,
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

async function askNow(runtime: ContainerEngine, clock: () => Date): Promise<Answer> {
  return { description: await runtime.describe(AbortSignal.timeout(MOST_MS)), at: clock() };
}
