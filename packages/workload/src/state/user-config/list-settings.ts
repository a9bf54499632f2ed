import { BUILD_KEYS, isJsonObject } from '@portolan/run-spec';
import type { Directories } from '../directories.ts';
import { readText } from '../state-files.ts';
import { getKnownSetting, KNOWN_SETTINGS } from './known-settings.ts';
import type { SettingValue } from './update-user-config.ts';
import { settingUnset } from './user-config-errors.ts';
import { parseUserConfig, requireContent, userConfigFile } from './user-config-document.ts';

export interface SetSetting {
  /** Key in which the user's names replace each `*`, such as `runtime_configs.npx.builder_image`. */
  readonly key: string;
  readonly value: SettingValue;
}

/**
 * Keys to list. They include the variables and credential files of builds, although these are set with their
 * own commands.
 */
const LISTED: readonly string[] = [
  ...KNOWN_SETTINGS.map(({ key }) => key),
  `${BUILD_KEYS.values}.*`,
  `${BUILD_KEYS.fromSecrets}.*`,
  BUILD_KEYS.fromShell,
  `${BUILD_KEYS.authFiles}.*`,
];

/** Returns the settings that have a value, in the order of `LISTED`. Throws as `readUserConfig`. */
export async function listSettings(directories: Pick<Directories, 'config'>): Promise<readonly SetSetting[]> {
  const file = userConfigFile(directories);
  const text = await readText(file);
  if (text === undefined) return [];
  requireContent(text, file);
  const content: unknown = (await parseUserConfig(text, file)).document.toJS();
  return LISTED.flatMap((key) => valuesAt(content, key.split('.'), ''));
}

/** Returns the value of a known setting. Throws ERR_SETTING, ERR_NAME_UNKNOWN, and as `readUserConfig`. */
export async function getSetting(
  key: string,
  directories: Pick<Directories, 'config'>,
): Promise<SettingValue> {
  getKnownSetting(key);
  const setSetting = (await listSettings(directories)).find((setting) => setting.key === key);
  if (setSetting === undefined) throw settingUnset(key);
  return setSetting.value;
}

function valuesAt(content: unknown, [part, ...rest]: readonly string[], at: string): readonly SetSetting[] {
  // Settings that are numbers are shown as text.
  const value: unknown = typeof content === 'number' ? String(content) : content;
  if (part === undefined) return isSettingValue(value) ? [{ key: at, value }] : [];
  if (!isJsonObject(content)) return [];
  const keys =
    part === '*' ? Object.keys(content).toSorted() : [part].filter((key) => Object.hasOwn(content, key));
  return keys.flatMap((key) => valuesAt(content[key], rest, at === '' ? key : `${at}.${key}`));
}

function isSettingValue(value: unknown): value is SettingValue {
  if (Array.isArray(value)) return value.every((item) => typeof item === 'string');
  return (typeof value === 'string' && value !== '') || typeof value === 'boolean';
}
