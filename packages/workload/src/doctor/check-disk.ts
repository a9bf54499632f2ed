import type { StatsFs } from 'node:fs';
import { statfs } from 'node:fs/promises';
import path from 'node:path';
import type { WorkloadContext } from '../workload-context.ts';
import type { Finding } from './finding.ts';

const MEBIBYTE = 1024 * 1024;
const LITTLE_BYTES = 1024 * MEBIBYTE;
const TOO_LITTLE_BYTES = 64 * MEBIBYTE;

/** Whether there is room for states and logs. */
export async function checkDisk({ directories }: WorkloadContext): Promise<readonly Finding[]> {
  const places = {
    'state files': directories.statuses,
    logs: directories.logs,
    sockets: directories.runtime,
  };
  return await Promise.all(Object.entries(places).map(([what, folder]) => checkFolder(what, folder)));
}

async function checkFolder(what: string, folder: string): Promise<Finding> {
  const { bavail, bsize } = await statfsOfNearest(folder);
  const freeBytes = bavail * bsize;
  const found = `${Math.round(freeBytes / MEBIBYTE)} MiB are free for ${what} (${folder}).`;
  if (freeBytes >= LITTLE_BYTES) return { check: 'disk', level: 'fine', found };
  const level = freeBytes < TOO_LITTLE_BYTES ? 'problem' : 'notice';
  return { check: 'disk', level, found, remedy: 'Make room: portolan logs prune, or docker system prune.' };
}

/** The folder need not exist: then the one that it would be made in. */
async function statfsOfNearest(folder: string): Promise<StatsFs> {
  for (let place = folder; ; place = path.dirname(place)) {
    try {
      return await statfs(place);
    } catch (error) {
      const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      if (!isMissing || place === path.dirname(place)) throw error;
    }
  }
}
