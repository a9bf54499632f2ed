import path from 'node:path';
import type { ConsentFacts } from './grant.ts';

/** Folders of the system through which a container controls the host. */
const SYSTEM_FOLDERS = ['/proc', '/sys', '/dev'];

/** Folders below those that hold files of users and no devices. */
const USER_FOLDERS = ['/dev/shm'];

/** Folders in which engines of this and other users keep their sockets. */
const SOCKET_FOLDERS = ['/run', '/var/run'];

const SOCKET_NAMES = /^(?:docker|podman|containerd|crio|buildkitd|dockershim)(?:-\w+)?\.sock$/;

/**
 * Returns why no stranger may have a host path mounted, or undefined where a person may allow it.
 * A folder that holds a protected place is as protected as the place.
 */
export function refuseHostPath(host: string, facts: ConsentFacts): string | undefined {
  const reasons = new Set(
    [host, facts.realPath(host)].map((one) => refuseOne(path.posix.normalize(one), facts)),
  );
  reasons.delete(undefined);
  return [...reasons][0];
}

function refuseOne(host: string, facts: ConsentFacts): string | undefined {
  const sockets = facts.engineSockets.flatMap((socket) => [socket, facts.realPath(socket)]);
  const own = facts.ownFolders.flatMap((folder) => [folder, facts.realPath(folder)]);
  if (host === '/') return 'it is the whole file system';
  const isOfUsers = USER_FOLDERS.some((folder) => isWithin(host, folder) && host !== folder);
  if (!isOfUsers && SYSTEM_FOLDERS.some((folder) => isWithin(host, folder))) return 'it controls the system';
  if (SOCKET_NAMES.test(path.posix.basename(host)) || sockets.some((socket) => isWithin(socket, host)))
    return 'it leads to the socket of a container engine';
  if (SOCKET_FOLDERS.some((folder) => isWithin(folder, host))) return 'it leads to sockets of the system';
  if (own.some((folder) => isWithin(folder, host) || isWithin(host, folder)))
    return 'it holds settings and state of Portolan';
  return undefined;
}

/** Returns whether a path is a folder, or is below it. */
export function isWithin(file: string, folder: string): boolean {
  return file === folder || file.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

/** Returns the path as a person writes it: `~/.ssh`, with the target of a symbolic link behind it. */
export function showPath(host: string, facts: ConsentFacts): string {
  const real = facts.realPath(host);
  const shown = shorten(host, facts.home);
  return real === host || real === '' ? shown : `${shown} (a link to ${shorten(real, facts.home)})`;
}

function shorten(file: string, home: string): string {
  return home !== '' && home !== '/' && isWithin(file, home) ? `~${file.slice(home.length)}` : file;
}
