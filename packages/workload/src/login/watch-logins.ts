import type { Logger } from '@portolan/plugin-api';
import { readLoginMarker } from './login-marker.ts';

const LOOK_EVERY_MS = 2000;

/** Sees that somebody has logged in or out, in whichever process. */
export interface LoginWatch {
  /** What is returned ends it. */
  onChange(then: () => Promise<void>): () => void;
  /** Looks at once; those who are called back have been when it resolves. */
  look(): Promise<void>;
  close(): void;
}

/** Looks at the marker of a workload every two seconds. */
export async function watchLogins(marker: string, logger: Logger): Promise<LoginWatch> {
  let seen = await readLoginMarker(marker);
  const listeners = new Set<() => Promise<void>>();
  const look = async (): Promise<void> => {
    const now = await readLoginMarker(marker);
    if (now === seen) return;
    seen = now;
    // One that is added by another one of them is called as well.
    for (const then of listeners) await then();
  };
  const timer = setInterval(() => {
    look().catch((error: unknown) => logger.warn({ err: error }, 'a login could not be looked for'));
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
