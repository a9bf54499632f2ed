import { watch } from 'node:fs';
import { dirname } from 'node:path';
import { signatureAt } from './file-signature.ts';

/**
 * Milliseconds between checks that need no event of the system: on network file systems, behind links, or
 * after the folder was replaced.
 */
const LOOK_MS = 500;
/** Time in milliseconds after which an unchanged file counts as completely written. */
const REST_MS = 50;
/** Number of checks after which a file that keeps changing is reported anyway. */
const MAX_RESTS = 6;

export interface WatchFileOptions {
  /** Signature of the file that the reader knows. Undefined: the file at the start of the watch. */
  readonly since?: string | undefined;
  /** Called when the folder cannot be watched, so that the file is only checked periodically. */
  readonly onUnwatched?: (error: unknown) => void;
}

/**
 * Yields within a second after a change of the file or of a link on its path. Consecutive changes yield once.
 * Nothing is lost while the consumer is busy: the next turn compares with what was last reported.
 */
export async function* watchFile(
  file: string,
  signal: AbortSignal,
  options: WatchFileOptions = {},
): AsyncGenerator<void, void> {
  if (signal.aborted) return;
  const trigger = openTrigger(dirname(file), signal, options.onUnwatched ?? (() => undefined));
  try {
    let known = options.since ?? (await signatureAt(file));
    while (!signal.aborted) {
      const current = await signatureAt(file);
      if (current === known) {
        await trigger.comesWithin(LOOK_MS);
        continue;
      }
      known = await restingSignature(file, current, trigger);
      if (!signal.aborted) yield;
    }
  } finally {
    trigger.close();
  }
}

/** Waits until the file stops changing, or for the maximum. */
async function restingSignature(file: string, first: string, trigger: Trigger): Promise<string> {
  let current = first;
  for (let looks = 0; looks < MAX_RESTS; looks += 1) {
    await trigger.passes(REST_MS);
    const next = await signatureAt(file);
    if (next === current) return next;
    current = next;
  }
  return current;
}

interface Trigger {
  /** Waits for an event in the folder, up to the given time; ends early on abort. */
  comesWithin(ms: number): Promise<void>;
  /** Waits for the given time; ends early on abort. */
  passes(ms: number): Promise<void>;
  close(): void;
}

/**
 * Watches the folder instead of the file, because editors replace files by renaming, and mounted
 * configuration swaps a link next to them. Never fires where folders cannot be watched.
 */
function openTrigger(folder: string, signal: AbortSignal, onUnwatched: (error: unknown) => void): Trigger {
  let wake: (() => void) | undefined;
  let hasCome = false;
  const onChange = (): void => {
    hasCome = true;
    wake?.();
  };
  const stopWatching = watchFolder(folder, onChange, onUnwatched);
  const onAbort = (): void => wake?.();
  signal.addEventListener('abort', onAbort);

  const wait = (ms: number, isOver: () => boolean): Promise<void> =>
    new Promise((resolve) => {
      const finish = (): void => {
        clearTimeout(timer);
        wake = undefined;
        resolve();
      };
      const timer = setTimeout(finish, ms);
      wake = () => {
        if (isOver()) finish();
      };
      wake();
    });

  return {
    async comesWithin(ms) {
      await wait(ms, () => hasCome || signal.aborted);
      hasCome = false;
    },
    passes: (ms) => wait(ms, () => signal.aborted),
    close() {
      signal.removeEventListener('abort', onAbort);
      stopWatching();
    },
  };
}

/** Returns the stop function. Reports when the folder cannot be watched. */
function watchFolder(
  folder: string,
  onChange: () => void,
  onUnwatched: (error: unknown) => void,
): () => void {
  try {
    const watcher = watch(folder, onChange);
    watcher.on('error', (error) => {
      watcher.close();
      onUnwatched(error);
    });
    return () => watcher.close();
  } catch (error) {
    onUnwatched(error);
    return () => undefined;
  }
}
