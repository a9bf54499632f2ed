import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { ClientFile, ClientProgram } from './client-table.ts';

export interface ClientContext {
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export function locateFile({ path: file }: Pick<ClientFile, 'path'>, context: ClientContext): string {
  const [first, ...rest] = file.split('/');
  if (first === 'C') return path.join(configFolder(context), ...rest);
  if (first === 'X') return path.join(xdgConfigFolder(context), ...rest);
  return path.join(context.home, file);
}

/**
 * Returns the files of the installed forms of a client (editor, desktop app, command line). Returns all of
 * its files if no form is installed.
 */
export async function filesInUse(
  { files }: ClientProgram,
  context: ClientContext,
): Promise<readonly ClientFile[]> {
  const installed = await Promise.all(files.map(async (file) => await isFormInstalled(file, context)));
  const inUse = files.filter((_, index) => installed[index]);
  return inUse.length === 0 ? files : inUse;
}

export async function isInstalled({ files }: ClientProgram, context: ClientContext): Promise<boolean> {
  const installed = await Promise.all(files.map(async (file) => await isFormInstalled(file, context)));
  return installed.includes(true);
}

/**
 * Returns whether a form of a client is installed: whether its `sign`, or else the folder of its file,
 * exists. For a file directly in the home folder, the file itself must exist.
 */
async function isFormInstalled(client: ClientFile, context: ClientContext): Promise<boolean> {
  const file = locateFile(client, context);
  const folder = path.dirname(file);
  const usual = path.relative(context.home, folder) === '' ? file : folder;
  const sign = client.sign === undefined ? usual : locateFile({ path: client.sign }, context);
  return await stat(sign).then(
    () => true,
    () => false, // an inaccessible path counts as absent
  );
}

function configFolder(context: ClientContext): string {
  const { home, platform, environment } = context;
  if (platform === 'darwin') return path.join(home, 'Library', 'Application Support');
  if (platform === 'win32') return environment['APPDATA'] ?? path.join(home, 'AppData', 'Roaming');
  return xdgConfigFolder(context);
}

/**
 * Returns the XDG configuration folder. Ignores a relative path in XDG_CONFIG_HOME, because the XDG Base
 * Directory Specification declares relative paths invalid.
 */
function xdgConfigFolder({ home, environment }: ClientContext): string {
  const named = environment['XDG_CONFIG_HOME'] ?? '';
  return path.isAbsolute(named) ? named : path.join(home, '.config');
}
