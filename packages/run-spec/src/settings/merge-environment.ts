import { parseEnvironmentVariable } from '../parse/key-value.ts';
import type { Variables } from '../parse/environment-file.ts';
import type { Setting } from './setting.ts';

export interface EnvironmentLayers {
  readonly folder: Variables;
  readonly folderName: string | undefined;
  readonly file: Variables;
  readonly fileName: string | undefined;
  /** Values of `-e`, as typed. */
  readonly flags: readonly string[];
}

/**
 * Merges variables of a folder of files, of one file, and of `-e`. Later ones take precedence. Throws
 * ERR_SETTING.
 */
export function mergeEnvironment(layers: EnvironmentLayers): ReadonlyMap<string, Setting<string>> {
  const merged = new Map<string, Setting<string>>();
  for (const [key, value] of layers.folder) {
    merged.set(key, { value, from: 'flag', by: `--env-file-dir ${layers.folderName ?? ''}`.trim() });
  }
  for (const [key, value] of layers.file) {
    merged.set(key, { value, from: 'flag', by: `--env-file ${layers.fileName ?? ''}`.trim() });
  }
  for (const [index, text] of layers.flags.entries()) {
    const place = layers.flags.length === 1 ? '--env' : `--env (number ${index + 1})`;
    const { key, value } = parseEnvironmentVariable(text, place);
    merged.set(key, { value, from: 'flag', by: '--env' });
  }
  return merged;
}

/** Adds variables of the registry entry. The user's variables take precedence. */
export function addEntryVariables(
  settings: ReadonlyMap<string, Setting<string>>,
  ofEntry: ReadonlyMap<string, string>,
): ReadonlyMap<string, Setting<string>> {
  const merged = new Map<string, Setting<string>>();
  for (const [key, value] of ofEntry) merged.set(key, { value, from: 'registry', by: 'the entry' });
  for (const [key, setting] of settings) merged.set(key, setting);
  return merged;
}
