import { readFileSync } from 'node:fs';
import { memoryOf, threadsMs } from '../registry/process-figures.ts';

/** A process and all that it has started, itself first. */
export function treeOf(pid: number): readonly number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  return [pid, ...children.flatMap((child) => treeOf(Number(child)))];
}

/** CPU time so far of a process alone, and with those it has started that still run. */
export interface TreeCpu {
  readonly selfMs: number;
  readonly treeMs: number;
}

export function cpuOf(pid: number): TreeCpu {
  const times = treeOf(pid).map(threadsMs);
  return { selfMs: times[0] ?? Number.NaN, treeMs: times.reduce((sum, ms) => sum + ms, 0) };
}

/** Resident memory of a process alone, in MB. */
export function residentMb(pid: number): number {
  return memoryOf(pid).residentMb;
}
