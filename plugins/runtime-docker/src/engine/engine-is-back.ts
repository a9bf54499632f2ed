import { setTimeout as wait } from 'node:timers/promises';
import type { EngineConnection } from './engine-connection.ts';
import { pingEngine } from './engine-connection.ts';

const FIRST_MS = 50;
const MAX_MS = 2000;
const PING_MS = 5000;

/** Settles when the engine answers a ping, or the signal aborts. Asks at growing intervals, up to 2 s. */
export async function engineIsBack(connection: EngineConnection, signal: AbortSignal): Promise<void> {
  for (let pause = FIRST_MS; !signal.aborted; pause = Math.min(pause * 2, MAX_MS)) {
    try {
      await pingEngine(connection, AbortSignal.any([signal, AbortSignal.timeout(PING_MS)]));
      return;
    } catch {
      // Whatever it was, the engine has not answered; it is asked again until somebody loses patience.
      await delay(pause, signal);
    }
  }
}

/** Waits; settles at once when the signal aborts. */
export async function delay(milliseconds: number, signal: AbortSignal): Promise<void> {
  try {
    await wait(milliseconds, undefined, { signal });
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
