import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

export interface WatchOptions {
  readonly file: string;
  /** Told that the content is another one; asked again later when it answers `later`. */
  readonly changed: () => Promise<'taken' | 'refused' | 'later'>;
  /** Told when the file is gone, or cannot be read, once each time. */
  readonly unreadable: (error: unknown) => void;
  readonly lookEveryMs?: number;
  readonly laterMs?: number;
}

const LOOK_EVERY_MS = 500;
const LATER_MS = 10_000;

/**
 * Looks at a file, and what its links lead to, until the signal aborts: however
 * it is changed, by writing into it, by another file in its place (editors), by
 * a link that is turned elsewhere (volumes of Kubernetes), on whatever file system.
 * It counts when it has stayed as it is for one more look, since nobody knows
 * whether a file is written to its end. The first look is told in any case: it
 * may have changed since it was read.
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
        // What was changed while it was read is looked at again.
        if ((await stampOf(file)) === now) {
          const answer = content === taken ? 'taken' : await changed();
          if (answer === 'later') notBefore = performance.now() + laterMs;
          else [taken, read] = [content, now];
        }
      }
    } catch (error) {
      if (!isTold) unreadable(error);
      isTold = true;
      seen = undefined;
    }
    await delay(lookEveryMs, undefined, { signal, ref: false }).catch(() => undefined); // aborted: looked at above
  }
}

/** Another text whenever the file, or its content, is another one. */
async function stampOf(file: string): Promise<string> {
  const { dev, ino, size, mtimeNs, ctimeNs } = await stat(file, { bigint: true });
  return [dev, ino, size, mtimeNs, ctimeNs].join(' ');
}
