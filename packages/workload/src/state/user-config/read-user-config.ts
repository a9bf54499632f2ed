import { NO_USER_SETTINGS, type UserSettings } from '@portolan/run-spec';
import type { Directories } from '../directories.ts';
import { readText } from '../state-files.ts';

/**
 * Reads the user's `config.yaml`; returns the defaults if the file does not exist. Throws ERR_USER_SETTINGS
 * with every problem and its line, and ERR_STATE_INACCESSIBLE.
 */
export async function readUserConfig(directories: Pick<Directories, 'config'>): Promise<UserSettings> {
  const { parseUserConfig, requireContent, userConfigFile } = await import('./user-config-document.ts');
  const file = userConfigFile(directories);
  const text = await readText(file);
  if (text === undefined) return NO_USER_SETTINGS;
  requireContent(text, file);
  if (text.trim() === '') return NO_USER_SETTINGS;
  return (await parseUserConfig(text, file)).settings;
}
