import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const TICK_MS = 1000 / Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/**
 * Returns the CPU time of a process, all threads, user and system; in steps of the kernel's clock (10 ms).
 */
export function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name in parentheses may contain spaces; utime and stime are the 12th and 13th field after it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/**
 * Returns the stolen time: what the hypervisor gave to others while this machine needed it, over all CPUs; in
 * steps of 10 ms.
 */
export function stolenMs(): number {
  const [, , , , , , , , steal = '0'] = readFileSync('/proc/stat', 'utf8').split(/\s+/, 9);
  return Number(steal) * TICK_MS;
}

/** Returns the CPU time of a process's main thread in milliseconds, with nanosecond precision. */
export function mainThreadMs(pid: number): number {
  const [nanoseconds = ''] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ');
  return Number(nanoseconds) / 1e6;
}

/** Returns the CPU time of a process's running threads in milliseconds, with nanosecond precision. */
export function threadsMs(pid: number): number {
  const folder = `/proc/${pid}/task`;
  const lines = readdirSync(folder).map((thread) => readFileSync(`${folder}/${thread}/schedstat`, 'utf8'));
  return lines.reduce((sum, line) => sum + Number.parseInt(line, 10), 0) / 1e6;
}

/** Memory of a process in MB (2^20 bytes). */
export interface MemoryFigures {
  readonly residentMb: number;
  /** Memory without mapped files, such as the database and the program. */
  readonly anonymousMb: number;
  readonly peakMb: number;
}

export function memoryOf(pid: number): MemoryFigures {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const read = (name: string): number => {
    const [, kilobytes] = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status) ?? [];
    return Math.round(Number(kilobytes) / 102.4) / 10;
  };
  return { residentMb: read('VmRSS'), anonymousMb: read('RssAnon'), peakMb: read('VmHWM') };
}
