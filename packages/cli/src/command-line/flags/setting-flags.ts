import type { Interfaces } from '@oclif/core';
import {
  flagRow,
  type FlagType,
  type FlagValues,
  RUN_FLAG_NAMES,
  type RUN_FLAGS,
  type RunFlagName,
} from '@portolan/run-spec';
import { boolean, duration, type FlagAbout, float, int, string, stringArray, strings } from './flag-types.ts';

type Rows = typeof RUN_FLAGS;

/** The type of a flag's value in oclif, whose lists are mutable. */
type Parsed<Value> = Value extends readonly string[] ? string[] : Value;

type FlagOf<Is extends FlagType> = Is extends 'truth'
  ? Interfaces.BooleanFlag<boolean | undefined>
  : Interfaces.OptionFlag<Parsed<FlagValues[Is]> | undefined>;

type SettingFlags = { readonly [Name in RunFlagName as Rows[Name]['flag']]: FlagOf<Rows[Name]['is']> };

const BUILDERS: { readonly [Is in FlagType]: (about: FlagAbout) => FlagOf<Is> } = {
  text: string,
  texts: stringArray,
  list: strings,
  truth: boolean,
  integer: int,
  number: float,
  duration,
};

const built: unknown = Object.fromEntries(
  RUN_FLAG_NAMES.map((name) => {
    const { flag, is, group: helpGroup, char, helpValue, description, fallback } = flagRow(name);
    const about: FlagAbout = {
      helpGroup,
      description,
      ...(char === undefined ? {} : { char }),
      ...(helpValue === undefined ? {} : { helpValue }),
      ...(fallback === undefined ? {} : { fallback }),
    };
    return [flag, BUILDERS[is](about)];
  }),
);

/** Flags for every setting of a run config, made from the table `RUN_FLAGS`. */
// SAFETY: there is a flag for each row of the table, built by the function of its type.
export const settingFlags = built as SettingFlags;
