import { stat } from 'node:fs/promises';
import type { ContainerMount } from '@portolan/plugin-api';
import { mountMissing } from './container-errors.ts';

/** Sees that everything that is to be mounted is there: engines make folders in its place. Throws ERR_MOUNT_MISSING. */
export async function checkMounts(mounts: readonly ContainerMount[]): Promise<void> {
  for (const mount of mounts) {
    if (mount.type !== 'bind') continue;
    try {
      await stat(mount.source);
    } catch (error) {
      throw mountMissing(mount.source, mount.target, error);
    }
  }
}
