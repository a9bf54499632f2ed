import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** How long each test file took when all were run the last time, in milliseconds. */
export type Durations = ReadonlyMap<string, number>;

function fileOf(root: string): string {
  return path.join(root, 'node_modules/.cache/portolan-tests/durations.json');
}

/** Of nothing, where no run has ended here before. */
export function readDurations(root: string): Durations {
  try {
    const kept: unknown = JSON.parse(readFileSync(fileOf(root), 'utf8'));
    const known = Object.entries(Object(kept)).filter(
      (entry): entry is [string, number] => typeof entry[1] === 'number' && entry[1] >= 0,
    );
    return new Map(known);
  } catch {
    return new Map();
  }
}

/** Keeps them for the next run. */
export function writeDurations(root: string, durations: Durations): void {
  const file = fileOf(root);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(`${file}.${process.pid}`, JSON.stringify(Object.fromEntries(durations)));
  renameSync(`${file}.${process.pid}`, file);
}
