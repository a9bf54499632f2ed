import type { StatsFs } from 'node:fs';
import { access, constants, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import type { WorkloadContext } from '../workload-context.ts';
import type { Finding } from './finding.ts';

const MEBIBYTE = 1024 * 1024;
const LITTLE_BYTES = 1024 * MEBIBYTE;
const TOO_LITTLE_BYTES = 64 * MEBIBYTE;

export async function checkDisk({ directories }: WorkloadContext): Promise<readonly Finding[]> {
  const places = {
    'state files': directories.statuses,
    logs: directories.logs,
    sockets: directories.runtime,
  };
  return await Promise.all(Object.entries(places).map(([what, folder]) => checkFolder(what, folder)));
}

async function checkFolder(what: string, folder: string): Promise<Finding> {
  const { place, free } = await nearest(folder);
  const fault = await findFault(place);
  if (fault !== undefined) {
    return {
      check: 'disk',
      level: 'problem',
      found: `Cannot write ${what} to ${folder}: ${fault}.`,
      remedy: `Make ${place} writable for this user, or choose another folder with XDG_DATA_HOME or XDG_RUNTIME_DIR.`,
    };
  }
  const freeBytes = free.bavail * free.bsize;
  const found = `${Math.round(freeBytes / MEBIBYTE)} MiB are free for ${what} (${folder}).`;
  if (freeBytes >= LITTLE_BYTES) return { check: 'disk', level: 'fine', found };
  const level = freeBytes < TOO_LITTLE_BYTES ? 'problem' : 'notice';
  return {
    check: 'disk',
    level,
    found,
    remedy: 'Free space, for example with `portolan logs prune` or `docker system prune`.',
  };
}

/** Returns the free space of a folder, or of its nearest existing parent if the folder does not exist. */
async function nearest(folder: string): Promise<{ readonly place: string; readonly free: StatsFs }> {
  for (let place = folder; ; place = path.dirname(place)) {
    try {
      return { place, free: await statfs(place) };
    } catch (error) {
      const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
      if (!isMissing || place === path.dirname(place)) throw error;
    }
  }
}

async function findFault(place: string): Promise<string | undefined> {
  try {
    if (!(await stat(place)).isDirectory()) return `${place} is not a folder`;
    await access(place, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    return code === 'EROFS' ? `${place} is read-only` : `${place} is not writable for this user`;
  }
}
