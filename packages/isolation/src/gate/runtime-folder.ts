import type { Stats } from 'node:fs';
import { chmod, lstat, mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { runtimeFolderForeign, runtimeFolderUnusable, socketPathTooLong } from '../errors.ts';

export const EGRESS_SOCKET = 'egress.sock';
export const CONTROL_SOCKET = 'control.sock';

export function ingressSocket(port: number): string {
  return `ingress-${port}.sock`;
}

const MAX_SOCKET_LENGTH = ingressSocket(65_535);

export interface RuntimeLocation {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly temporary: string;
  readonly uid: number | undefined;
  readonly platform: NodeJS.Platform;
}

/**
 * Makes the folder of a workload's sockets: `$XDG_RUNTIME_DIR/portolan/<id>`, or `<tmp>/portolan-<uid>/<id>`.
 * Both levels belong to the current user and are private (0700). Throws ERR_GATEWAY when another user made
 * one of them, or creation fails.
 */
export async function makeRuntimeFolder(id: string, place: RuntimeLocation): Promise<string> {
  const parent = await placeParent(place);
  const folder = path.join(parent, id);
  checkPathLength(path.join(folder, MAX_SOCKET_LENGTH), place.platform);
  for (const level of [parent, folder]) await makeOwn(level, place.uid);
  return folder;
}

async function placeParent({ environment, temporary, uid }: RuntimeLocation): Promise<string> {
  const runtime = environment['XDG_RUNTIME_DIR'];
  if (runtime !== undefined && path.isAbsolute(runtime) && (await isFolder(runtime))) {
    return path.join(runtime, 'portolan');
  }
  return path.join(path.resolve(temporary), uid === undefined ? 'portolan' : `portolan-${uid}`);
}

async function isFolder(folder: string): Promise<boolean> {
  try {
    return (await stat(folder)).isDirectory();
  } catch (error) {
    // After a change of user, the variable often names an absent or inaccessible folder.
    if (
      error instanceof Error &&
      'code' in error &&
      ['ENOENT', 'ENOTDIR', 'EACCES'].includes(String(error.code))
    )
      return false;
    throw error;
  }
}

/** Checks the maximum length of `sun_path`, which includes a terminating zero byte. */
function checkPathLength(file: string, platform: NodeJS.Platform): void {
  const most = platform === 'linux' ? 107 : 103;
  const bytes = Buffer.byteLength(file);
  if (bytes > most) throw socketPathTooLong(file, bytes, most);
}

async function makeOwn(folder: string, uid: number | undefined): Promise<void> {
  let stats: Stats;
  try {
    await mkdir(folder, { mode: 0o700 }).catch((error: unknown) => {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    });
    stats = await lstat(folder); // does not follow a link, which another user could have placed
  } catch (error) {
    throw runtimeFolderUnusable(folder, error);
  }
  if (!stats.isDirectory())
    throw runtimeFolderForeign(folder, stats.isSymbolicLink() ? 'a symbolic link' : 'a file');
  if (uid === undefined) return;
  if (stats.uid !== uid) throw runtimeFolderForeign(folder, `a folder of user ${stats.uid}`);
  if ((stats.mode & 0o777) !== 0o700) await chmod(folder, 0o700);
}
