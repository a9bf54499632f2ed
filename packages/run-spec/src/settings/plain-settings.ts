import type { FlagRow, FlagValues } from './flag-row.ts';
import type { MergeInput } from './merge-input.ts';
import { flagRow, RUN_FLAG_NAMES, type RUN_FLAGS, type RunFlagName, typedFlag } from './run-flags.ts';
import { pickSetting, type Setting } from './setting.ts';

type Rows = typeof RUN_FLAGS;

/** The flags whose row says all about their setting: those of containers, and the others. */
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

/** Undefined where nothing is said and the row has no default. */
type SettingOf<Row> = Row extends { readonly setting: { readonly default: undefined } }
  ? Setting<ValueOf<Row>> | undefined
  : Setting<ValueOf<Row>>;

/** Settings that count for every server. */
export type PlainSettings = { readonly [Name in PlainName<'any'>]: SettingOf<Rows[Name]> };

/** Settings that count for a server in a container. */
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

/** Settings that count for a remote server. */
export type PlainRemoteSettings = { readonly [Name in PlainName<'remote'>]: SettingOf<Rows[Name]> };

/** Returns the plain settings of every server. */
export function mergePlain(input: MergeInput): PlainSettings {
  return merge(input, 'any');
}

/** The plain settings of a container, likewise. */
export function mergePlainOfContainer(input: MergeInput): PlainContainerSettings {
  return merge(input, 'container');
}

/** The plain settings of a remote server, likewise. */
export function mergePlainOfRemote(input: MergeInput): PlainRemoteSettings {
  return merge(input, 'remote');
}

function merge<Only extends 'any' | 'container' | 'remote'>(
  input: MergeInput,
  only: Only,
): { readonly [Name in PlainName<Only>]: SettingOf<Rows[Name]> } {
  const rows = PLAIN.filter(({ row }) => (row.only ?? 'any') === only);
  const merged: unknown = Object.fromEntries(rows.map((row) => [row.name, mergeRow(row, input)]));
  // SAFETY: the type is made of this table: a name for each row, with the type that its flag, entry and check give.
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

/** The fields of a run config that these settings are written to. */
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

/** The plain settings with the names that `plan` gives them, in the order of the table. */
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
  // A setting stands under each name of the table, or nothing.
  return Reflect.get(settings, name) as Setting<unknown> | undefined;
}
