import path from 'node:path';
import type { ConsentFacts } from './grant.ts';

/** System folders that give a container control over the host when mounted. */
const SYSTEM_FOLDERS = ['/proc', '/sys', '/dev'];

/** Subfolders of protected folders that users may mount: shared memory and removable disks. */
const USER_FOLDERS = ['/dev/shm', '/run/media'];

/** Folders with sockets of container engines and system services. */
const SOCKET_FOLDERS = ['/run', '/var/run'];

/** Folders with settings that determine what the host runs and who may log in. */
const SETTING_FOLDERS = ['/etc', '/boot', '/var/spool/cron'];

/** Folders with programs of the host. A container that can write here controls the host. */
const PROGRAM_FOLDERS = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32', '/nix/store'];

/** Folders of container engines and package services, with images, containers and sockets. */
const ENGINE_FOLDERS = [
  'docker',
  'containerd',
  'containers',
  'cni',
  'buildkit',
  'rancher',
  'kubelet',
  'lxc',
  'lxd',
  'incus',
  'snapd',
]
  .map((name) => `/var/lib/${name}`)
  .concat('/var/snap');

/** Folders below the home directory with sockets, keys and disks of container engines. */
const HOME_ENGINE_FOLDERS = [
  '.colima',
  '.lima',
  '.orbstack',
  '.rd',
  '.docker/run',
  '.docker/desktop',
  '.config/colima',
  '.local/share/docker',
  '.local/share/containers',
  'Library/Containers/com.docker.docker',
];

const LINK_MARK = ' (a link to ';

const SOCKET_NAMES = /^(?:docker|podman|containerd|crio|buildkitd|dockershim)(?:-\w+)?\.sock$/;

/**
 * Returns why a mount of a host path is refused; undefined when the user may allow it. Also refuses a parent
 * of a protected folder.
 */
export function refuseHostPath(
  host: string,
  facts: ConsentFacts,
  { isReadOnly = true }: { readonly isReadOnly?: boolean } = {},
): string | undefined {
  const reasons = new Set(
    [host, facts.realPath(host)].map((one) => refuseOne(path.posix.normalize(one), facts, isReadOnly)),
  );
  reasons.delete(undefined);
  return [...reasons][0];
}

function refuseOne(host: string, facts: ConsentFacts, isReadOnly: boolean): string | undefined {
  const withTargets = (files: readonly string[]): readonly string[] =>
    files.flatMap((file) => [file, facts.realPath(file)]);
  const touches = (folders: readonly string[]): boolean =>
    withTargets(folders).some((folder) => isWithin(folder, host) || isWithin(host, folder));
  if (host === '/') return 'it is the whole file system';
  if (host.includes(LINK_MARK)) return 'its name reads as that of a link';
  const isOfUsers = USER_FOLDERS.some((folder) => isWithin(host, folder) && host !== folder);
  if (!isOfUsers && SYSTEM_FOLDERS.some((folder) => isWithin(host, folder))) return 'it controls the system';
  const leadsToEngine = withTargets(facts.engineSockets).some((socket) => isWithin(socket, host));
  if (SOCKET_NAMES.test(path.posix.basename(host)) || leadsToEngine)
    return 'it leads to the socket of a container engine';
  if (!isOfUsers && touches(SOCKET_FOLDERS)) return 'it leads to sockets of the system';
  if (facts.isSocket(host)) return 'it is the socket of a program of the host';
  if (touches(SETTING_FOLDERS)) return 'it decides what the system runs';
  if (!isReadOnly && touches(PROGRAM_FOLDERS)) return 'the system runs programs in it';
  const home = HOME_ENGINE_FOLDERS.map((name) => path.posix.join(facts.home, name));
  if (touches([...ENGINE_FOLDERS, ...home]))
    return 'it holds data of a container engine or a package service';
  if (touches(facts.ownFolders)) return 'it holds settings and state of Portolan';
  return undefined;
}

export function isWithin(file: string, folder: string): boolean {
  return file === folder || file.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

/** Formats a path as `~/.ssh`, followed by the target of a symbolic link if it is one. */
export function showPath(host: string, facts: Pick<ConsentFacts, 'home' | 'realPath'>): string {
  const real = facts.realPath(host);
  const shown = shorten(host, facts.home);
  return real === host || real === '' ? shown : `${shown}${LINK_MARK}${shorten(real, facts.home)})`;
}

function shorten(file: string, home: string): string {
  return home !== '' && home !== '/' && isWithin(file, home) ? `~${file.slice(home.length)}` : file;
}
