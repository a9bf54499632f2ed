import { type FSWatcher, watch } from 'node:fs';

export interface FolderWatchOptions {
  readonly folder: string;
  /** Returns whether a file concerns the caller. */
  readonly isWatched: (file: string) => boolean;
  /** Called after changes of such files, and at intervals for what no event shows. */
  readonly changed: () => void;
  /** Delay in milliseconds after a change, in which further changes count as one. */
  readonly settleMs?: number;
  /** Interval in milliseconds between two calls without a change. */
  readonly lookMs?: number;
  /** Like `lookMs`, while the system cannot watch the folder. */
  readonly pollMs?: number;
}

export interface FolderWatch {
  close(): void;
}

const SETTLE_MS = 100;
const LOOK_MS = 10_000;
const POLL_MS = 2000;

/**
 * Watches files of a folder, also when they are replaced or do not exist yet. Polls while the folder does not
 * exist, or cannot be watched. Never keeps the process running.
 */
export function watchFolder(options: FolderWatchOptions): FolderWatch {
  const { changed, settleMs = SETTLE_MS, lookMs = LOOK_MS, pollMs = POLL_MS } = options;
  let soon: NodeJS.Timeout | undefined;
  let timer: NodeJS.Timeout | undefined;
  let watcher: FSWatcher | undefined;
  const settle = (): void => {
    soon ??= setTimeout(() => {
      soon = undefined;
      changed();
    }, settleMs).unref();
  };
  const listen = (): void => {
    watcher ??= openWatcher(options, settle, () => {
      watcher = undefined;
    });
  };
  const wait = (): void => {
    timer = setTimeout(
      () => {
        listen();
        changed();
        wait();
      },
      watcher === undefined ? pollMs : lookMs,
    ).unref();
  };
  listen();
  wait();
  return {
    close: () => {
      watcher?.close();
      clearTimeout(soon);
      clearTimeout(timer);
    },
  };
}

/** Returns undefined where the folder cannot be watched. */
function openWatcher(
  { folder, isWatched }: FolderWatchOptions,
  changed: () => void,
  lost: () => void,
): FSWatcher | undefined {
  try {
    const watcher = watch(folder, { persistent: false }, (_event, file) => {
      if (file === null || isWatched(file)) changed();
    });
    watcher.on('error', () => {
      watcher.close();
      lost();
    });
    return watcher;
  } catch {
    return undefined;
  }
}
