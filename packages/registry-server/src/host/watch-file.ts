import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

export interface WatchOptions {
  readonly file: string;
  /** Called when the file has changed. When it returns `later`, it is called again after a while. */
  readonly changed: () => Promise<'taken' | 'refused' | 'later'>;
  /** Called once each time the file becomes absent or unreadable. */
  readonly unreadable: (error: unknown) => void;
  readonly lookEveryMs?: number;
  readonly laterMs?: number;
}

const LOOK_EVERY_MS = 500;
const LATER_MS = 10_000;

/**
 * Polls, which detects every kind of change on every file system: writes in place, replacement (editors) and
 * retargeted links (Kubernetes volumes). A change counts when the file stayed unchanged for one more poll,
 * because a write may be in progress. The first poll always reports a change.
 */
export async function watchFile(
  { file, changed, unreadable, lookEveryMs = LOOK_EVERY_MS, laterMs = LATER_MS }: WatchOptions,
  signal: AbortSignal,
): Promise<void> {
  let taken: string | undefined;
  let seen: string | undefined;
  let read: string | undefined;
  let isTold = false;
  let notBefore = 0;
  while (!signal.aborted) {
    try {
      const now = await stampOf(file);
      const isStill = now === seen;
      seen = now;
      isTold = false;
      if (isStill && now !== read && performance.now() >= notBefore) {
        const content = createHash('sha256')
          .update(await readFile(file))
          .digest('hex');
        // The file may change during the read.
        if ((await stampOf(file)) === now) {
          const outcome = content === taken ? 'taken' : await changed();
          if (outcome === 'later') notBefore = performance.now() + laterMs;
          else [taken, read] = [content, now];
        }
      }
    } catch (error) {
      if (!isTold) unreadable(error);
      isTold = true;
      seen = undefined;
    }
    // aborted: checked above
    await delay(lookEveryMs, undefined, { signal, ref: false }).catch(() => undefined);
  }
}

async function stampOf(file: string): Promise<string> {
  const { dev, ino, size, mtimeNs, ctimeNs } = await stat(file, { bigint: true });
  return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
}
