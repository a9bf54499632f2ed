import type { FieldName } from '../run-config/checks/field-checks.ts';
import type { ServerSettings } from '../registry-entry/server-settings.ts';
import type { UserSettings } from './user-settings.ts';

/** Value of a flag by its type: strings as typed, lists split at commas, durations in milliseconds. */
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

/** One flag of `run` of any type. */
export type FlagRow = { readonly [Is in FlagType]: RowOf<Is> }[FlagType];

interface RowOf<Is extends FlagType> {
  /** Without dashes. */
  readonly flag: string;
  readonly is: Is;
  readonly group: FlagGroup;
  /** The short form. */
  readonly char?: 'e' | 'l' | 'p' | 'v';
  /** Placeholder for the value in the help: `KEY=VALUE`. */
  readonly helpValue?: string;
  /** Values for completion; a plugin may add more. */
  readonly choices?: readonly string[];
  readonly description: string;
  /** Default for the help; it is shown and not applied. */
  readonly fallback?: string;
  /**
   * Servers of the other form do not use it: there, a container flag causes a warning, and a remote flag an
   * error.
   */
  readonly only?: 'container' | 'remote';
  /** It answers an input of a registry entry, and so also applies to a remote server with an entry. */
  readonly answersEntry?: true;
  /** Field of the run config that the flag sets; its row of `FIELD_CHECKS` checks the value. */
  readonly field: FieldName;
  /** The flag names files whose content fills the field; their parsers check it. */
  readonly names?: 'files';
  /** Error code for which an item is dropped with a warning. */
  readonly skips?: 'ERR_LABEL';
  /**
   * Converts the typed value to the form of the field, before the check. Throws a coded error that names
   * `place`.
   */
  readonly convert?: (given: FlagValues[Is], place: string) => unknown;
  /** Place in a registry entry that may set it. */
  readonly inEntry?: string;
  /** Undefined when the value depends on more; the steps of `mergeSettings` then determine it. */
  readonly setting?: PlainSetting;
}

/** A setting with the value of the flag, the entry, the user's settings or the default, in this order. */
interface PlainSetting {
  readonly default: unknown;
  /** Returns the value in a registry entry, at the place `inEntry`. */
  readonly entry?: (server: ServerSettings) => unknown;
  /** Place in the user's settings that may set it. */
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
