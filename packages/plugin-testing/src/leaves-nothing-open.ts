import { readdirSync, readlinkSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Deadline, eventually } from './eventually.ts';

/**
 * Runs the action and waits until all its sockets, timers, watches and, on Linux, files are closed. Throws
 * with the names of open resources after the timeout.
 */
export async function leavesNothingOpen<Result>(
  action: () => Result | Promise<Result>,
  { withinMs = 5000 }: Deadline = {},
): Promise<Result> {
  // Mocha starts the timer of a test right after it calls the test function.
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

function openFiles(): readonly string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc/self/fd')
    .map((descriptor) => {
      try {
        return readlinkSync(`/proc/self/fd/${descriptor}`);
      } catch {
        return ''; // the descriptor that read the folder itself
      }
    })
    .filter(
      (target) => target.startsWith('/') && !target.startsWith('/dev/') && !target.startsWith('/proc/'),
    );
}
