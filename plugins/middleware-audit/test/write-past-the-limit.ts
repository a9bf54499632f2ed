import { execFileSync } from 'node:child_process';
import { appendFileSync, renameSync } from 'node:fs';
import { createRecordingLogger } from '@portolan/plugin-testing';
import { openFileSink } from '../src/file-sink.ts';

// Run by tests as a process of its own, which may write no more than 1024 bytes to a file: FILE CASE.
// Writes three lines, of which the second does not fit, and prints how far each attempt came.
const [, , file = '', what = ''] = process.argv;
const logger = createRecordingLogger();
const sink = await openFileSink(file, { maxFileSize: 0, maxFiles: 1, logger });
const told: unknown[] = [];
let lines = Buffer.from(['a', 'b', 'c'].map((letter) => `${letter.repeat(699)}\n`).join(''));

async function attempt(): Promise<void> {
  const { bytes, error } = await sink.append(lines);
  lines = lines.subarray(bytes);
  told.push([bytes, error instanceof Error && 'code' in error ? error.code : undefined]);
}

await attempt();
await attempt();
if (what === 'reopened') {
  renameSync(file, `${file}.1`);
  await sink.reopen();
}
execFileSync('prlimit', ['--pid', String(process.pid), '--fsize=unlimited']);
if (what === 'others') appendFileSync(file, `${'x'.repeat(9)}\n`);
await attempt();
await sink.close();
process.stdout.write(JSON.stringify(told));
