import type { FieldName } from '../run-config/checks/field-checks.ts';
import type { ServerSettings } from '../registry-entry/server-settings.ts';
import type { UserSettings } from './user-settings.ts';

/** What a flag of each type gives: texts as they were typed, lists split at their commas, durations in milliseconds. */
export interface FlagValues {
  readonly text: string;
  readonly texts: readonly string[];
  readonly list: readonly string[];
  readonly truth: boolean;
  readonly integer: number;
  readonly number: number;
  readonly duration: number;
}
export type FlagType = keyof FlagValues;

/** Groups of the help, in its order. */
export const FLAG_GROUPS = [
  'WORKLOAD',
  'NETWORK',
  'IMAGE',
  'TRANSPORT AND PROXY',
  'TOOLS AND POLICY',
  'AUTHENTICATION',
  'TOKEN EXCHANGE',
  'REMOTE SERVER',
  'AUDIT',
  'TELEMETRY',
] as const;
export type FlagGroup = (typeof FLAG_GROUPS)[number];

/** One flag of `run`, whatever its type. */
export type FlagRow = { readonly [Is in FlagType]: RowOf<Is> }[FlagType];

interface RowOf<Is extends FlagType> {
  /** Without its dashes. */
  readonly flag: string;
  readonly is: Is;
  readonly group: FlagGroup;
  /** The short form. */
  readonly char?: 'e' | 'l' | 'p' | 'v';
  /** What stands for the value in the help: `KEY=VALUE`. */
  readonly helpValue?: string;
  /** Values that shells complete; a plugin may know more. */
  readonly choices?: readonly string[];
  readonly description: string;
  /** What holds without the flag, for the help; it is shown and not filled in. */
  readonly fallback?: string;
  /** A server of the other form makes nothing of it: a container flag warns there, a remote one is refused. */
  readonly only?: 'container' | 'remote';
  /** It answers what a registry entry wants to know, and so counts for a remote server that has an entry. */
  readonly answersEntry?: true;
  /** Field of the run config that the flag sets; its row of `FIELD_CHECKS` checks the value. */
  readonly field: FieldName;
  /** The flag names files, whose content fills the field; their readers check it. */
  readonly names?: 'files';
  /** Code of the error for which an item is left out with a warning. */
  readonly skips?: 'ERR_LABEL';
  /** Converts what was typed into the form of the field, before the check. Throws a coded error that names `place`. */
  readonly convert?: (given: FlagValues[Is], place: string) => unknown;
  /** Where a registry entry may say it. */
  readonly inEntry?: string;
  /** Left out where the value takes more to decide than is said here; the steps of `mergeSettings` then do. */
  readonly setting?: PlainSetting;
}

/** A setting that is the flag's value, else that of the entry, else that of the user, else the default. */
interface PlainSetting {
  readonly default: unknown;
  /** What a registry entry says, under the name in `inEntry`. */
  readonly entry?: (server: ServerSettings) => unknown;
  /** Where the user's settings may say it. */
  readonly user?: Elsewhere<UserSettings>;
  /** Converts the value into the form of the field, where `plan` shows another form. */
  readonly write?: (value: never) => unknown;
  /** Its name in `plan`; left out: that of the field. */
  readonly planned?: string;
  /** Converts the value into the form that `plan` shows; left out: `plan` shows the value itself. */
  readonly show?: (value: never) => unknown;
}

interface Elsewhere<Source> {
  /** What it is called there, for `plan`. */
  readonly by: string;
  readonly read: (source: Source) => unknown;
}
