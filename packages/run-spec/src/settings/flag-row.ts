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

export type FlagRow = { readonly [Is in FlagType]: RowOf<Is> }[FlagType];

interface RowOf<Is extends FlagType> {
  /** Name of the flag without dashes. */
  readonly flag: string;
  readonly is: Is;
  readonly group: FlagGroup;
  readonly char?: 'e' | 'l' | 'p' | 'v';
  /** Placeholder for the value in the help: `KEY=VALUE`. */
  readonly helpValue?: string;
  /** Values for completion; a plugin may add more. */
  readonly choices?: readonly string[];
  readonly description: string;
  /** Default that the help shows. The flag's parser does not apply it. */
  readonly fallback?: string;
  /**
   * Kind of server that the flag is for. With the other kind, a container flag causes a warning, and a remote
   * flag an error.
   */
  readonly only?: 'container' | 'remote';
  /** The flag also fills inputs of a registry entry, so it has an effect on a remote server with an entry. */
  readonly answersEntry?: true;
  /**
   * Field of the run config that the flag sets. The check of `FIELD_CHECKS` for this field checks the value.
   */
  readonly field: FieldName;
  /** The flag names files whose content fills the field. The parsers of the files check the content. */
  readonly names?: 'files';
  /** Error code for which an invalid item is dropped with a warning. */
  readonly skips?: 'ERR_LABEL';
  /** Converts the typed value before the check. Throws a coded error that names `place`. */
  readonly convert?: (input: FlagValues[Is], place: string) => unknown;
  /** Field of a registry entry that sets the same value. */
  readonly inEntry?: string;
  /**
   * How the value is chosen. Undefined when it also depends on other settings, which `mergeSettings` handles.
   */
  readonly setting?: PlainSetting;
}

/**
 * Setting that takes the value of the flag, the registry entry, the user's settings or the default, in this
 * order.
 */
interface PlainSetting {
  readonly default: unknown;
  readonly entry?: (server: ServerSettings) => unknown;
  readonly user?: Elsewhere<UserSettings>;
  /** Converts the value to its form in the run config, if `plan` shows another form. */
  readonly write?: (value: never) => unknown;
  /** Name in `plan`. Default: that of the run config field. */
  readonly planned?: string;
  /** Converts the value to the form of `plan`. Default: the value itself. */
  readonly show?: (value: never) => unknown;
}

interface Elsewhere<Source> {
  /** Name of the origin, for `plan`. */
  readonly by: string;
  readonly read: (source: Source) => unknown;
}
