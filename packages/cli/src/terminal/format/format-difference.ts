import type { Difference } from '@portolan/workload';
import { printable } from '../printable.ts';

/** Formats the changes of a workload: `SETTING: BEFORE -> AFTER`. */
export function formatDifference({ name, changes, lost }: Difference): readonly string[] {
  if (changes.length === 0) return [printable(`${name}: nothing changes`)];
  return [
    `Changes of ${name}:`,
    ...changes.map(
      ({ setting, before, after }) => `  ${setting}: ${shownValue(before)} -> ${shownValue(after)}`,
    ),
    ...lost.map((protection) => `  no longer protected: ${protection}`),
  ].map(printable);
}

export function shownValue(value: unknown): string {
  return value === undefined ? '(none)' : typeof value === 'string' ? value : JSON.stringify(value);
}
