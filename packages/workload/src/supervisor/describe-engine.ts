import type { ContainerEngine, EngineDescription } from '@portolan/plugin-api';

/** For so long what an engine said of itself is taken for what it would say now. */
const FRESH_MS = 5_000;

interface Answer {
  readonly description: EngineDescription;
  /** Of `performance.now`. */
  readonly at: number;
}

const ahead = new WeakMap<ContainerEngine, Promise<Answer>>();

/**
 * Asks an engine what it is before it is known for which workload: it takes some 10 ms, and more the more containers
 * the engine has. Never rejects: whoever needs the answer asks again.
 */
export async function describeAhead(runtime: ContainerEngine): Promise<void> {
  const asked = askNow(runtime);
  ahead.set(runtime, asked);
  await asked.catch(() => undefined);
}

/** What an engine is: what it said a moment ago, once, or what it says now. Throws what asking it throws. */
export async function describeEngine(
  runtime: ContainerEngine,
  signal: AbortSignal,
): Promise<EngineDescription> {
  const asked = ahead.get(runtime);
  ahead.delete(runtime);
  const known = await asked?.catch(() => undefined);
  signal.throwIfAborted();
  if (known !== undefined && performance.now() - known.at < FRESH_MS) return known.description;
  return await runtime.describe(signal);
}

async function askNow(runtime: ContainerEngine): Promise<Answer> {
  return { description: await runtime.describe(), at: performance.now() };
}
