import { readFile } from 'node:fs/promises';
import { readJson } from '../document/parse-json.ts';
import { badPermissionProfile } from './permission-errors.ts';
import { fileUnreadable } from '../state/state-errors.ts';
import { parsePermissionProfile } from './parse-permission-profile.ts';
import type { PermissionProfile } from './permission-profile.ts';

/** Reads a profile from a JSON file. Throws ERR_RUN_FILE_UNREADABLE and ERR_PERMISSION_PROFILE. */
export async function readPermissionProfile(file: string, signal?: AbortSignal): Promise<PermissionProfile> {
  let text: string;
  try {
    text = await readFile(file, { encoding: 'utf8', signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw fileUnreadable('permission profile', file, error);
  }
  const reading = readJson(text);
  if ('fault' in reading) throw badPermissionProfile(file, [reading.fault]);
  return parsePermissionProfile(reading.value, file, 'refused');
}
