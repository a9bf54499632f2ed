import { readSmallFile } from '@portolan/plugin-api';
import {
  type PermissionProfile,
  badPermissionProfile,
  parsePermissionProfile,
  readJson,
} from '@portolan/run-spec';
import { fileUnreadable } from '../../../state/state-errors.ts';

/** Reads a permission profile from a file. Throws ERR_NAMED_FILE and ERR_PERMISSION_PROFILE. */
export async function readPermissionProfile(file: string, signal?: AbortSignal): Promise<PermissionProfile> {
  let text: string;
  try {
    text = await readSmallFile(file, { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw fileUnreadable('permission profile', file, error);
  }
  const reading = readJson(text);
  if ('fault' in reading) throw badPermissionProfile(file, [reading.fault]);
  return parsePermissionProfile(reading.value, file, 'refused');
}
