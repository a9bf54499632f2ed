import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { ClientProgram } from './client-table.ts';

export interface ClientSurroundings {
  readonly home: string;
  readonly platform: NodeJS.Platform;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** The file of a client, absolute. */
export function fileOfClient(
  { file }: Pick<ClientProgram, 'file'>,
  surroundings: ClientSurroundings,
): string {
  const [first, ...rest] = file.split('/');
  return first === 'C' ? path.join(configFolder(surroundings), ...rest) : path.join(surroundings.home, file);
}

/** Whether the client's folder is there; of a file in the home folder itself, the file. */
export async function isInstalled(client: ClientProgram, surroundings: ClientSurroundings): Promise<boolean> {
  const file = fileOfClient(client, surroundings);
  const folder = path.dirname(file);
  const sign = path.relative(surroundings.home, folder) === '' ? file : folder;
  return await stat(sign).then(
    () => true,
    () => false, // not to be seen is as good as not there
  );
}

function configFolder({ home, platform, environment }: ClientSurroundings): string {
  if (platform === 'darwin') return path.join(home, 'Library', 'Application Support');
  if (platform === 'win32') return environment['APPDATA'] ?? path.join(home, 'AppData', 'Roaming');
  return path.join(home, '.config');
}
