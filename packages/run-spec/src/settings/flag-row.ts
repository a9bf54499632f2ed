import type { FieldName } from '../run-config/checks/field-checks.ts';
import type { ServerSettings } from '../registry-entry/server-settings.ts';
import type { UserSettings } from './user-settings.ts';

/** Strings as typed, lists split at commas, durations in milliseconds. */
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

/** Groups of the help, in order. */
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

export type FlagRow = { readonly [Is in FlagType]: RowOf<Is> }[FlagType];

interface RowOf<Is extends FlagType> {
  /** Without dashes. */
  readonly flag: string;
  readonly is: Is;
  readonly group: FlagGroup;
  readonly char?: 'e' | 'l' | 'p' | 'v';
  /** Placeholder for the value in the help: `KEY=VALUE`. */
  readonly helpValue?: string;
  /** Values for completion; a plugin may add more. */
  readonly choices?: readonly string[];
  readonly description: string;
  /** Shown in the help and not applied. */
  readonly fallback?: string;
  /**
   * Servers of the other form do not use it: there, a container flag causes a warning, and a remote flag an
   * error.
   */
  readonly only?: 'container' | 'remote';
  /** Fills an input of a registry entry, and so also applies to a remote server with an entry. */
  readonly answersEntry?: true;
  /** Field that the flag sets; its row of `FIELD_CHECKS` checks the value. */
  readonly field: FieldName;
  /** The flag names files whose content fills the field; their parsers check it. */
  readonly names?: 'files';
  /** An item with this error is dropped with a warning. */
  readonly skips?: 'ERR_LABEL';
  /** Converts the typed value before the check. Throws a coded error that names `place`. */
  readonly convert?: (given: FlagValues[Is], place: string) => unknown;
  /** Place in a registry entry that may set it. */
  readonly inEntry?: string;
  /** Undefined when the value depends on more; the steps of `mergeSettings` then determine it. */
  readonly setting?: PlainSetting;
}

/** Takes the value of the flag, the entry, the user's settings or the default, in this order. */
interface PlainSetting {
  readonly default: unknown;
  readonly entry?: (server: ServerSettings) => unknown;
  readonly user?: Elsewhere<UserSettings>;
  /** Converts the value to the form of the field, when `plan` shows another form. */
  readonly write?: (value: never) => unknown;
  /** Name in `plan`. Default: that of the field. */
  readonly planned?: string;
  /** Converts the value to the form of `plan`. Default: the value itself. */
  readonly show?: (value: never) => unknown;
}

interface Elsewhere<Source> {
  /** Name of the place, for `plan`. */
  readonly by: string;
  readonly read: (source: Source) => unknown;
}
