import { Flags, type Interfaces } from '@oclif/core';
import { parseDuration } from '@portolan/plugin-api';
import { badArgument } from '../../terminal/terminal-errors.ts';
import { findImageReference } from '@portolan/outbound';

/** Help texts of a flag. */
export interface FlagAbout {
  readonly description: string;
  readonly char?: Interfaces.AlphabetLowercase;
  /** Placeholder for the value: `KEY=VALUE`. */
  readonly helpValue?: string;
  /**
   * Default that the help shows. The parser does not fill it in, so that a command can distinguish a missing
   * flag from a given one.
   */
  readonly fallback?: string;
  readonly helpGroup?: string;
}

/** A flag with one value; an error when repeated. */
export function string(about: FlagAbout): Interfaces.OptionFlag<string | undefined> {
  return Flags.string(shown(about, 'TEXT'));
}

export function image(about: FlagAbout): Interfaces.OptionFlag<string | undefined> {
  return Flags.custom({ parse: async (text) => parseImage(text) })(shown(about, 'IMAGE'));
}

/** A repeatable flag; commas are part of each value. */
export function stringArray(about: FlagAbout): Interfaces.OptionFlag<string[] | undefined> {
  return Flags.string({ ...shown(about, 'TEXT'), multiple: true, multipleNonGreedy: true });
}

/** A flag with comma-separated values, trimmed; repeating it adds values. */
export function strings(about: FlagAbout): Interfaces.OptionFlag<string[] | undefined> {
  return Flags.string({ ...shown(about, 'LIST'), multiple: true, multipleNonGreedy: true, delimiter: ',' });
}

/** A flag with a decimal number: `0.1`, `1e-3`. */
export function float(about: FlagAbout): Interfaces.OptionFlag<number | undefined> {
  return Flags.custom<number>({ parse: async (text) => parseDecimal(text) })(shown(about, 'NUMBER'));
}

/** A flag with an integer in Go's syntax: `8080`, `0x1f90`, `8_080`. */
export function int(about: FlagAbout): Interfaces.OptionFlag<number | undefined> {
  return Flags.custom<number>({ parse: async (text) => parseInteger(text) })(shown(about, 'NUMBER'));
}

/** A flag with a duration in Go's syntax, in milliseconds: `90s`, `1h30m`. */
export function duration(about: FlagAbout): Interfaces.OptionFlag<number | undefined> {
  return Flags.custom<number>({ parse: async (text) => parseDuration(text) })(shown(about, 'DURATION'));
}

/** A flag `--x`, `--x=true` or `--x=false`; undefined when missing. */
export function boolean(about: FlagAbout): Interfaces.BooleanFlag<boolean | undefined> {
  return Flags.boolean(shown(about, undefined));
}

const INTEGER =
  /^([+-]?)(?:(0[xX])(_?[0-9a-fA-F]+(?:_[0-9a-fA-F]+)*)|(0[bB])(_?[01]+(?:_[01]+)*)|(0[oO]?)(_?[0-7]+(?:_[0-7]+)*)|((?:0|[1-9][0-9]*(?:_[0-9]+)*)))$/;

/** Parses an integer as Go's `strconv.ParseInt` with base 0 does. Throws ERR_BAD_ARGUMENT. */
export function parseInteger(text: string): number {
  const match = INTEGER.exec(text);
  const number = match === null ? Number.NaN : readInteger(match);
  if (!Number.isSafeInteger(number)) {
    throw badArgument(`found ${JSON.stringify(text)}; expected a whole number`);
  }
  return number;
}

async function parseImage(text: string): Promise<string> {
  if (findImageReference(text) !== undefined) return text;
  throw badArgument(`found ${JSON.stringify(text)}; expected an image reference`);
}

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Parses a finite decimal number. Throws ERR_BAD_ARGUMENT. */
export function parseDecimal(text: string): number {
  const number = DECIMAL.test(text) ? Number(text) : Number.NaN;
  if (!Number.isFinite(number)) {
    throw badArgument(`found ${JSON.stringify(text)}; expected a number such as 0.1`);
  }
  return number;
}

function readInteger([, sign, , hex, , binary, , octal, decimal]: readonly (string | undefined)[]): number {
  const [digits, base] =
    hex !== undefined
      ? [hex, 16]
      : binary !== undefined
        ? [binary, 2]
        : octal !== undefined
          ? [octal, 8]
          : [decimal ?? '', 10];
  const size = Number.parseInt(digits.replaceAll('_', ''), base);
  return sign === '-' && size !== 0 ? -size : size;
}

function shown({ fallback, ...about }: FlagAbout, value: string | undefined) {
  return {
    ...(value === undefined ? {} : { helpValue: value }),
    ...about,
    description: fallback === undefined ? about.description : `[default: ${fallback}] ${about.description}`,
  };
}
