// A process that uses a store while others do the same: node state-worker.ts FOLDER ACTION ARGUMENTS…
import path from 'node:path';
import { readFile, writeFile } from 'node:fs/promises';
import { createRunConfig } from '@portolan/run-spec';
import { takeLock, withLock } from '../../src/state/file-lock.ts';
import { ownProcess } from '../../src/state/process-identity.ts';
import { WorkloadStore } from '../../src/state/workload-store.ts';

const [folder = '', action, count = '1'] = process.argv.slice(2);
const store = new WorkloadStore({
  directories: { runConfigs: path.join(folder, 'runconfigs'), statuses: path.join(folder, 'statuses') },
  clock: () => new Date(),
});

/**
 * Increments the number in a file, with a pause between read and write. Without the lock, increments are
 * lost.
 */
async function count1(): Promise<void> {
  const file = path.join(folder, 'count');
  const before = Number(await readFile(file, 'utf8'));
  await new Promise((resolve) => setImmediate(resolve));
  await writeFile(file, String(before + 1));
}

if (action === 'count') {
  for (let step = 0; step < Number(count); step += 1) await withLock(path.join(folder, 'the.lock'), count1);
} else if (action === 'hold') {
  await takeLock(path.join(folder, 'the.lock'));
  process.stdout.write('held\n');
  process.stdin.resume();
} else if (action === 'claim') {
  const config = createRunConfig({ name: 'weather', image: 'nginx', port: process.pid % 65_536 });
  try {
    await store.claim(config, await ownProcess());
    process.stdout.write('won\n');
  } catch (error) {
    process.stdout.write(
      `${error instanceof Error && 'code' in error ? String(error.code) : String(error)}\n`,
    );
  }
  // A process that has claimed a name runs until the test stops it.
  process.stdin.resume();
} else if (action === 'change') {
  for (let step = 0; step < Number(count); step += 1) {
    await store.change('weather', (state) => ({ ...state, statusContext: `${state.statusContext}x` }));
  }
}
