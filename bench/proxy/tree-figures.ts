import { readFileSync } from 'node:fs';
import { memoryOf, threadsMs } from '../registry/process-figures.ts';

/** Returns a process and all its descendants, itself first. */
export function treeOf(pid: number): readonly number[] {
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  return [pid, ...children.flatMap((child) => treeOf(Number(child)))];
}

/** CPU time of a process, alone and with its running descendants. */
export interface TreeCpu {
  readonly selfMs: number;
  readonly treeMs: number;
}

export function cpuOf(pid: number): TreeCpu {
  const times = treeOf(pid).map(threadsMs);
  return { selfMs: times[0] ?? Number.NaN, treeMs: times.reduce((sum, ms) => sum + ms, 0) };
}

export function residentMb(pid: number): number {
  return memoryOf(pid).residentMb;
}
