import { setTimeout as wait } from 'node:timers/promises';
import type { EngineConnection } from './engine-connection.ts';
import { pingEngine } from './engine-connection.ts';

const FIRST_MS = 50;
const MAX_MS = 2000;
const PING_MS = 5000;

/** Pings the engine until it responds or the signal aborts. The interval grows up to 2 s. */
export async function engineIsBack(connection: EngineConnection, signal: AbortSignal): Promise<void> {
  for (let pause = FIRST_MS; !signal.aborted; pause = Math.min(pause * 2, MAX_MS)) {
    try {
      await pingEngine(connection, AbortSignal.any([signal, AbortSignal.timeout(PING_MS)]));
      return;
    } catch {
      // Any error means that the engine did not respond; the loop continues until the signal aborts.
      await delay(pause, signal);
    }
  }
}

/** Waits; resolves at once when the signal aborts. */
export async function delay(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await wait(milliseconds, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
