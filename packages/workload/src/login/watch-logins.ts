import type { Logger } from '@portolan/plugin-api';
import { readLoginMarker } from './login-marker.ts';

const LOOK_EVERY_MS = 2000;

export interface LoginWatch {
  /**
   * Registers a callback that runs after a login or logout. Returns a function that unregisters the callback.
   */
  onChange(then: () => Promise<void>): () => void;
  /** Checks the marker file now. Resolves after all callbacks have run. */
  look(): Promise<void>;
  close(): void;
}

/** Checks the marker file of a workload every two seconds. */
export async function watchLogins(marker: string, logger: Logger): Promise<LoginWatch> {
  let seen = await readLoginMarker(marker);
  const listeners = new Set<() => Promise<void>>();
  const look = async (): Promise<void> => {
    const now = await readLoginMarker(marker);
    if (now === seen) return;
    seen = now;
    // If a callback adds another callback, this loop calls that one too.
    for (const then of listeners) await then();
  };
  const timer = setInterval(() => {
    look().catch((error: unknown) => logger.warn({ err: error }, 'a change of logins could not be checked'));
  }, LOOK_EVERY_MS);
  timer.unref();
  return {
    onChange: (then) => {
      listeners.add(then);
      return () => void listeners.delete(then);
    },
    look,
    close: () => clearInterval(timer),
  };
}
