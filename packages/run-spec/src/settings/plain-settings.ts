import type { FlagRow, FlagValues } from './flag-row.ts';
import type { MergeInput } from './merge-input.ts';
import { flagRow, RUN_FLAG_NAMES, type RUN_FLAGS, type RunFlagName, typedFlag } from './run-flags.ts';
import { pickSetting, type Setting } from './setting.ts';

type Rows = typeof RUN_FLAGS;

/** Names of flags whose row alone defines how the setting is merged. */
type PlainName<Only> = {
  [Name in RunFlagName]: Rows[Name] extends { readonly setting: object }
    ? (Rows[Name] extends { readonly only: infer For } ? For : 'any') extends Only
      ? Name
      : never
    : never;
}[RunFlagName];

type ValueOf<Row> = Row extends { readonly choices: readonly (infer Choice)[]; readonly is: 'text' }
  ? Choice
  : Row extends { readonly is: infer Is extends keyof FlagValues }
    ? FlagValues[Is]
    : never;

/** Type of a setting; includes undefined if its row has no default. */
type SettingOf<Row> = Row extends { readonly setting: { readonly default: undefined } }
  ? Setting<ValueOf<Row>> | undefined
  : Setting<ValueOf<Row>>;

export type PlainSettings = { readonly [Name in PlainName<'any'>]: SettingOf<Rows[Name]> };

export type PlainContainerSettings = {
  readonly [Name in PlainName<'container'>]: SettingOf<Rows[Name]>;
};

interface PlainRow {
  readonly name: RunFlagName;
  readonly row: FlagRow;
  readonly setting: NonNullable<FlagRow['setting']>;
}

const PLAIN: readonly PlainRow[] = RUN_FLAG_NAMES.flatMap((name) => {
  const row = flagRow(name);
  return row.setting === undefined ? [] : [{ name, row, setting: row.setting }];
});

export type PlainRemoteSettings = { readonly [Name in PlainName<'remote'>]: SettingOf<Rows[Name]> };

export function mergePlain(input: MergeInput): PlainSettings {
  return merge(input, 'any');
}

export function mergePlainOfContainer(input: MergeInput): PlainContainerSettings {
  return merge(input, 'container');
}

export function mergePlainOfRemote(input: MergeInput): PlainRemoteSettings {
  return merge(input, 'remote');
}

function merge<Only extends 'any' | 'container' | 'remote'>(
  input: MergeInput,
  only: Only,
): { readonly [Name in PlainName<Only>]: SettingOf<Rows[Name]> } {
  const rows = PLAIN.filter(({ row }) => (row.only ?? 'any') === only);
  const merged: unknown = Object.fromEntries(rows.map((row) => [row.name, mergeRow(row, input)]));
  // SAFETY: the merge derives one member per row of the table, whose type follows from flag, entry and check.
  return merged as ReturnType<typeof merge<Only>>;
}

function mergeRow(
  { name, row, setting }: PlainRow,
  { request, entry, user }: MergeInput,
): Setting<unknown> | undefined {
  const place = typedFlag(name);
  const ofEntry = entry === undefined ? undefined : setting.entry?.(entry.server);
  const picked = pickSetting(
    [
      { value: request.flags[name], from: 'flag', by: place },
      { value: ofEntry, from: 'registry', by: `${row.inEntry} of the entry` },
      { value: setting.user?.read(user), from: 'user', by: setting.user?.by ?? '' },
    ],
    setting.default,
  );
  return picked.value === undefined ? undefined : picked;
}

export function writePlain(settings: object): Readonly<Record<string, unknown>> {
  const fields: Record<string, unknown> = {};
  for (const { name, row, setting } of PLAIN) {
    const merged = settingOf(settings, name);
    if (merged === undefined) continue;
    const write = setting.write as ((value: unknown) => unknown) | undefined;
    const [field = '', part] = row.field.split('.');
    const written = write === undefined ? merged.value : write(merged.value);
    fields[field] =
      part === undefined ? written : { ...(fields[field] as object | undefined), [part]: written };
  }
  return fields;
}

/** Returns the settings with their names in `plan`, in the order of the table. */
export function planPlain(settings: object): readonly (readonly [name: string, setting: Setting<unknown>])[] {
  return PLAIN.flatMap(({ name, row, setting }) => {
    const merged = settingOf(settings, name);
    if (merged === undefined) return [];
    const show = setting.show as ((value: unknown) => unknown) | undefined;
    const shown = show === undefined ? merged : { ...merged, value: show(merged.value) };
    return [[setting.planned ?? row.field, shown] as const];
  });
}

function settingOf(settings: object, name: RunFlagName): Setting<unknown> | undefined {
  return Reflect.get(settings, name) as Setting<unknown> | undefined;
}
