import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { ClientFile, ClientProgram } from './client-table.ts';

export interface ClientSurroundings {
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export function locateFile(
  { path: file }: Pick<ClientFile, 'path'>,
  surroundings: ClientSurroundings,
): string {
  const [first, ...rest] = file.split('/');
  if (first === 'C') return path.join(configFolder(surroundings), ...rest);
  if (first === 'X') return path.join(xdgConfigFolder(surroundings), ...rest);
  return path.join(surroundings.home, file);
}

/**
 * Returns the files of the installed forms of a client (editor, desktop app, command line). Returns all of
 * its files if no form is installed.
 */
export async function filesInUse(
  { files }: ClientProgram,
  surroundings: ClientSurroundings,
): Promise<readonly ClientFile[]> {
  const installed = await Promise.all(files.map(async (file) => await isFormInstalled(file, surroundings)));
  const inUse = files.filter((_, index) => installed[index]);
  return inUse.length === 0 ? files : inUse;
}

export async function isInstalled(
  { files }: ClientProgram,
  surroundings: ClientSurroundings,
): Promise<boolean> {
  const installed = await Promise.all(files.map(async (file) => await isFormInstalled(file, surroundings)));
  return installed.includes(true);
}

/**
 * Returns whether a form of a client is installed: whether its `sign`, or else the folder of its file,
 * exists. For a file directly in the home folder, the file itself must exist.
 */
async function isFormInstalled(client: ClientFile, surroundings: ClientSurroundings): Promise<boolean> {
  const file = locateFile(client, surroundings);
  const folder = path.dirname(file);
  const usual = path.relative(surroundings.home, folder) === '' ? file : folder;
  const sign = client.sign === undefined ? usual : locateFile({ path: client.sign }, surroundings);
  return await stat(sign).then(
    () => true,
    () => false, // an inaccessible path counts as absent
  );
}

function configFolder(surroundings: ClientSurroundings): string {
  const { home, platform, environment } = surroundings;
  if (platform === 'darwin') return path.join(home, 'Library', 'Application Support');
  if (platform === 'win32') return environment['APPDATA'] ?? path.join(home, 'AppData', 'Roaming');
  return xdgConfigFolder(surroundings);
}

/**
 * Returns the XDG configuration folder. Ignores a relative path in XDG_CONFIG_HOME, because the XDG Base
 * Directory Specification declares relative paths invalid.
 */
function xdgConfigFolder({ home, environment }: ClientSurroundings): string {
  const named = environment['XDG_CONFIG_HOME'] ?? '';
  return path.isAbsolute(named) ? named : path.join(home, '.config');
}
