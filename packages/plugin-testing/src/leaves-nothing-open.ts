import { readdirSync, readlinkSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Deadline, eventually } from './eventually.ts';

/**
 * Runs the action and answers what it answered, once everything is closed again
 * that it opened: sockets, timers, watches and all else that keeps a process
 * alive; on Linux open files as well. Throws, naming what is still open, when
 * that does not happen in time.
 */
export async function leavesNothingOpen<Result>(
  action: () => Result | Promise<Result>,
  { withinMs = 5000 }: Deadline = {},
): Promise<Result> {
  // Mocha starts the timer of a test only after it has called it.
  await nextTurn();
  const before = countOpen();
  const result = await action();
  await eventually(
    () => {
      const left = [...countOpen()].filter(([what, count]) => count > (before.get(what) ?? 0));
      if (left.length > 0) {
        const list = left.map(([what, count]) => `${count - (before.get(what) ?? 0)} × ${what}`).join(', ');
        throw new Error(`left open: ${list}`);
      }
    },
    { withinMs },
  );
  return result;
}

function countOpen(): Map<string, number> {
  const counts = new Map<string, number>();
  for (const what of [...process.getActiveResourcesInfo(), ...openFiles()]) {
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  return counts;
}

/** Paths of the open files of this process; none where the system does not tell. */
function openFiles(): readonly string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc/self/fd')
    .map((descriptor) => {
      try {
        return readlinkSync(`/proc/self/fd/${descriptor}`);
      } catch {
        return ''; // the descriptor with which the folder itself was read
      }
    })
    .filter(
      (target) => target.startsWith('/') && !target.startsWith('/dev/') && !target.startsWith('/proc/'),
    );
}
