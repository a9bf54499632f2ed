import { readFile } from 'node:fs/promises';

export interface HostLimits {
  readonly processes: number | undefined;
  readonly openFiles: number | undefined;
}

/**
 * Reads this user's maximum number of processes and open files, and the maximum process ID, which limits the
 * processes of Podman.
 */
export async function readHostLimits(): Promise<HostLimits> {
  const [limits, highestId] = await Promise.all([
    readIfThere('/proc/self/limits'),
    readIfThere('/proc/sys/kernel/pid_max'),
  ]);
  const processes = [hardLimit(limits, 'Max processes'), Number.parseInt(highestId, 10)].filter(
    (limit) => limit !== undefined && Number.isInteger(limit),
  );
  return {
    processes: processes.length === 0 ? undefined : Math.min(...processes.map(Number)),
    openFiles: hardLimit(limits, 'Max open files'),
  };
}

function hardLimit(text: string, name: string): number | undefined {
  const line = text.split('\n').find((one) => one.startsWith(name));
  const [, hard] = line?.slice(name.length).trim().split(/\s+/) ?? [];
  return hard === undefined || !/^\d+$/.test(hard) ? undefined : Number(hard);
}

/** Reads a file that only exists on Linux. */
async function readIfThere(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error) return '';
    throw error;
  }
}
