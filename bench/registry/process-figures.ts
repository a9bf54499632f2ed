import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

const TICK_MS = 1000 / Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** CPU time a process has used so far, all threads, user and system; in steps of the kernel's clock (10 ms). */
export function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name, in brackets, may hold spaces; utime and stime are the 12th and 13th field behind it.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** Time that the hypervisor has given to others while this machine wanted it, all processors together; in steps of 10 ms. */
export function stolenMs(): number {
  const [, , , , , , , , steal = '0'] = readFileSync('/proc/stat', 'utf8').split(/\s+/, 9);
  return Number(steal) * TICK_MS;
}

/** Time that the main thread of a process has had a processor so far, to the nanosecond. */
export function mainThreadMs(pid: number): number {
  const [nanoseconds = ''] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ');
  return Number(nanoseconds) / 1e6;
}

/** Time that the threads of a process that still run have had a processor so far, to the nanosecond. */
export function threadsMs(pid: number): number {
  const folder = `/proc/${pid}/task`;
  const lines = readdirSync(folder).map((thread) => readFileSync(`${folder}/${thread}/schedstat`, 'utf8'));
  return lines.reduce((sum, line) => sum + Number.parseInt(line, 10), 0) / 1e6;
}

/** Memory of a process in MB (2^20 bytes). */
export interface MemoryFigures {
  readonly residentMb: number;
  /** Without mapped files, such as the database and the program itself. */
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
