import { type FSWatcher, watch } from 'node:fs';
import { makeFolders } from './make-folders.ts';

export interface StateWatchOptions {
  /** Folder with the state files of workloads. */
  readonly folder: string;
  /** Called after changes of state files, and at intervals for what no file shows, such as a killed process. */
  readonly changed: () => void;
  /** Delay in milliseconds after a change, in which further changes count as one. */
  readonly settleMs?: number;
  /** Interval in milliseconds between two calls without a change. */
  readonly lookMs?: number;
  /** Like `lookMs`, on file systems without change events. */
  readonly pollMs?: number;
}

export interface StateWatch {
  close(): void;
}

const SETTLE_MS = 100;
const LOOK_MS = 10_000;
const POLL_MS = 2000;

/** Watches the state files of all workloads. Never keeps the process running. */
export async function watchStates(options: StateWatchOptions): Promise<StateWatch> {
  const { folder, changed, settleMs = SETTLE_MS, lookMs = LOOK_MS, pollMs = POLL_MS } = options;
  let soon: NodeJS.Timeout | undefined;
  const settle = (): void => {
    soon ??= setTimeout(() => {
      soon = undefined;
      changed();
    }, settleMs);
    soon.unref();
  };
  const watcher = await openWatcher(folder, settle);
  let timer = setInterval(changed, watcher === undefined ? pollMs : lookMs);
  timer.unref();
  watcher?.on('error', () => {
    watcher.close();
    clearInterval(timer);
    timer = setInterval(changed, pollMs);
    timer.unref();
  });
  return {
    close: () => {
      watcher?.close();
      clearTimeout(soon);
      clearInterval(timer);
    },
  };
}

/** Returns undefined where the system cannot watch the folder. */
async function openWatcher(folder: string, changed: () => void): Promise<FSWatcher | undefined> {
  try {
    await makeFolders(folder, 0o700);
    return watch(folder, { persistent: false }, (_event, file) => {
      // Other files in the folder are locks and temporary files.
      if (file === null || file.endsWith('.json')) changed();
    });
  } catch {
    return undefined;
  }
}
