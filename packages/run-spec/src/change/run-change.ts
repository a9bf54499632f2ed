import { nearest } from '@portolan/plugin-api';
import type { FlagRow } from '../settings/flag-row.ts';
import {
  flagRow,
  RUN_FLAG_NAMES,
  type RunFlagName,
  type RunFlags,
  typedFlag,
} from '../settings/run-flags.ts';
import { settingsConflict } from '../settings/settings-errors.ts';
import { badSetting } from '../parse/parse-errors.ts';

export interface RunChange {
  readonly flags: RunFlags;
  /** Server arguments after `--`. Undefined keeps the current ones. */
  readonly args: readonly string[] | undefined;
  /** `FLAG`, or `FLAG=ITEM` for one item of a list. */
  readonly unset: readonly string[];
}

export interface Unset {
  readonly name: RunFlagName | 'args';
  /** The removed item, such as the name of a variable. Undefined removes all items. */
  readonly item: string | undefined;
}

/**
 * Flags whose list items have names, such as variables. A change adds items, and replaces the item of the
 * same name.
 */
export const NAMED_ITEMS: { readonly [Name in RunFlagName]?: string } = {
  env: 'VARIABLE',
  secrets: 'VARIABLE',
  labels: 'LABEL',
  volumes: 'CONTAINER-PATH',
  publish: 'CONTAINER-PORT',
  remoteForwardHeaders: 'HEADER',
  remoteForwardHeadersSecret: 'HEADER',
};

/** Flags that set the same setting as another flag, by the name of that flag. */
const SAME_SETTING: { readonly [Name in RunFlagName]?: RunFlagName } = {
  envFile: 'env',
  envFileDir: 'env',
  tokenExchangeClientSecretFile: 'tokenExchangeClientSecret',
};

const PLACE = '--unset';

/**
 * Parses the texts of `--unset`. Throws ERR_SETTING for an unknown setting, for the workload's name, and for
 * an item of a setting without named items. Throws ERR_SETTINGS_CONFLICT for a setting that a flag also sets.
 */
export function parseUnset({ unset, flags, args }: RunChange): readonly Unset[] {
  const parsed = unset.map(parseOne);
  for (const { name, item } of parsed) {
    if (name === 'args' ? args === undefined : flags[name] === undefined || item !== undefined) continue;
    const flag = name === 'args' ? '--' : typedFlag(name);
    throw settingsConflict(
      `${PLACE} ${name === 'args' ? name : flagRow(name).flag}`,
      flag,
      'both change one setting',
    );
  }
  return parsed;
}

function parseOne(text: string): Unset {
  const at = text.indexOf('=');
  const named = (at < 0 ? text : text.slice(0, at)).replace(/^-+/, '');
  const item = at < 0 ? undefined : text.slice(at + 1);
  if (named === 'args' && item === undefined) return { name: 'args', item };
  const match = RUN_FLAG_NAMES.find((name) => flagRow(name).flag === named || charOf(name) === named);
  if (match === undefined) throw badSetting(PLACE, text, expectedInstead(named));
  const name = SAME_SETTING[match] ?? match;
  if (name === 'name') throw badSetting(PLACE, text, 'a setting with a default; a workload keeps its name');
  if (name === 'members' || name === 'memberGroup') {
    throw badSetting(PLACE, text, 'a setting with a default; other members are set by --members');
  }
  if (item === '' || (item !== undefined && NAMED_ITEMS[name] === undefined)) {
    throw badSetting(PLACE, text, expectedItem(name));
  }
  return { name, item };
}

function charOf(name: RunFlagName): string | undefined {
  const row: FlagRow = flagRow(name);
  return row.char;
}

function expectedItem(name: RunFlagName): string {
  const { flag } = flagRow(name);
  const items = NAMED_ITEMS[name];
  return items === undefined ? `${flag}, whose items have no names` : `${flag} or ${flag}=${items}`;
}

function expectedInstead(named: string): string {
  const near = nearest(named, ['args', ...RUN_FLAG_NAMES.map((name) => flagRow(name).flag)]);
  return near === undefined
    ? 'a flag of `portolan run` without its dashes, or args'
    : `${near}, or another flag of \`portolan run\` without its dashes`;
}

export function findUnset(unset: readonly Unset[], name: Unset['name']): readonly Unset[] {
  return unset.filter((one) => one.name === name);
}
