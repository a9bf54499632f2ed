import { stat } from 'node:fs/promises';
import type { ContainerMount } from '@portolan/plugin-api';
import { mountMissing } from './container-errors.ts';

/**
 * Checks that every host path to mount exists, because engines create a folder for a missing one. Throws
 * ERR_MOUNT_MISSING.
 */
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
