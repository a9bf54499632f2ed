import type { Document } from 'yaml';
import { NO_USER_SETTINGS, type UserSettings } from '@portolan/run-spec';
import type { Directories } from '../directories.ts';
import { changeFile } from './change-file.ts';
import { parseUserConfig, requireContent, userConfigFile } from './user-config-document.ts';

export type SettingValue = string | boolean | readonly string[];

/** Change of one setting; without a value, the setting is removed. */
export interface SettingEdit {
  readonly path: readonly string[];
  readonly value?: SettingValue | undefined;
}

/**
 * Changes the user's configuration, and keeps comments and unknown keys. Leaves the file unchanged if it is
 * invalid before or after the change. Returns the new settings; `config.yaml.bak` holds the previous content.
 * Throws ERR_USER_SETTINGS, ERR_STATE_BUSY and ERR_STATE_INACCESSIBLE.
 */
export async function updateUserConfig(
  directories: Pick<Directories, 'config' | 'groups'>,
  edits: readonly SettingEdit[] | ((settings: UserSettings) => readonly SettingEdit[]),
  signal?: AbortSignal,
): Promise<UserSettings> {
  const file = userConfigFile(directories);
  let after: UserSettings = NO_USER_SETTINGS;
  await changeFile(
    directories,
    file,
    async (content) => {
      if (content !== undefined) requireContent(content.toString('utf8'), file);
      const before = content?.toString('utf8') ?? '';
      const { document, settings } = await parseUserConfig(before, file);
      after = settings;
      const settingEdits = typeof edits === 'function' ? edits(settings) : edits;
      if (!applyEdits(document, settingEdits)) return undefined;
      const text = `${document.toString({ lineWidth: 0, indent: indentOf(before) }).trimEnd()}\n`;
      after = (await parseUserConfig(text, file)).settings;
      return text;
    },
    signal,
    { keepsBackup: true },
  );
  return after;
}

function applyEdits(document: Document, edits: readonly SettingEdit[]): boolean {
  const before = JSON.stringify(document.toJS());
  for (const { path, value } of edits) {
    if (value === undefined) removeIn(document, path);
    // `setIn` with a scalar keeps the comment at the previous value.
    else document.setIn(makeRoom(document, path), Array.isArray(value) ? document.createNode(value) : value);
  }
  return JSON.stringify(document.toJS()) !== before;
}

/** Removes each parent key whose value is null, because `setIn` cannot set a key inside null. */
function makeRoom(document: Document, path: readonly string[]): readonly string[] {
  for (let length = 1; length < path.length; length += 1) {
    const parent = path.slice(0, length);
    if (document.hasIn(parent) && document.getIn(parent) === null) document.deleteIn(parent);
  }
  return path;
}

/** Removes the value at a path, and parent maps that become empty. */
function removeIn(document: Document, path: readonly string[]): void {
  if (path.length === 0 || !document.hasIn(path)) return;
  document.deleteIn(path);
  const parent = path.slice(0, -1);
  const left: unknown = parent.length === 0 ? undefined : document.getIn(parent);
  if (isEmptyMap(left)) removeIn(document, parent);
}

function isEmptyMap(node: unknown): boolean {
  return (
    typeof node === 'object' &&
    node !== null &&
    'items' in node &&
    Array.isArray(node.items) &&
    node.items.length === 0
  );
}

function indentOf(text: string): number {
  const [, spaces = '  '] = /^[^\s#][^\n]*:[ \t]*\n( +)[^\s#-]/m.exec(text) ?? [];
  return Math.min(8, spaces.length);
}
