import { open, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { PortolanError } from '@portolan/plugin-api';
import { tooLarge } from './errors.ts';

export interface GrowthLimits {
  readonly bytes: number;
  readonly objects: number;
}

const LOOK_MS = 50;

/**
 * Looks at the packs of a repository while they grow, as git writes them, and calls `exceed` once
 * they are too large; answers what stops that, and then looks once more.
 */
export function watchGrowth(
  repository: string,
  limits: GrowthLimits,
  exceed: (error: PortolanError) => void,
): () => Promise<void> {
  const folder = join(repository, 'objects', 'pack');
  let isOver = false;
  let looking = Promise.resolve();
  const look = async (packs: RegExp): Promise<void> => {
    const fault = await findExcess(folder, limits, packs);
    if (fault !== undefined) exceed(fault);
  };
  const timer = setInterval(() => {
    if (!isOver) looking = looking.then(() => look(GROWING));
  }, LOOK_MS);
  return async () => {
    isOver = true;
    clearInterval(timer);
    await looking;
    await look(ANY);
  };
}

const GROWING = /^tmp_pack/;
const ANY = /^tmp_pack|\.pack$/;

async function findExcess(
  folder: string,
  { bytes, objects }: GrowthLimits,
  packs: RegExp,
): Promise<PortolanError | undefined> {
  let sum = 0;
  for (const name of await readdir(folder).catch(() => [])) {
    const file = join(folder, name);
    const size = await stat(file).then(
      (stats) => stats.size,
      () => 0, // renamed meanwhile
    );
    sum += size;
    if (packs.test(name) && (await objectsIn(file)) > objects) return tooLarge(`${objects} objects`);
  }
  return sum > bytes ? tooLarge(`${bytes} bytes`) : undefined;
}

/** How many objects a pack says to hold, in its first bytes (gitformat-pack). */
async function objectsIn(file: string): Promise<number> {
  const handle = await open(file, 'r').catch(() => undefined);
  if (handle === undefined) return 0;
  try {
    const head = Buffer.alloc(12);
    // What cannot be read is for git to find.
    const bytesRead = await handle.read(head, 0, 12, 0).then(
      (read) => read.bytesRead,
      () => 0,
    );
    return bytesRead === 12 ? head.readUInt32BE(8) : 0;
  } finally {
    await handle.close();
  }
}
