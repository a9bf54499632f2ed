import { Flags, type Interfaces } from '@oclif/core';
import { parseDuration } from '@portolan/plugin-api';
import { badArgument } from '../../terminal/terminal-errors.ts';
import { findImageReference } from '@portolan/outbound';

/** What the help says about a flag. */
export interface FlagAbout {
  readonly description: string;
  readonly char?: Interfaces.AlphabetLowercase;
  /** What stands for the value: `KEY=VALUE`. */
  readonly helpValue?: string;
  /** What holds when it is not given. It is shown and not filled in, so that a flag given is told from one that is not. */
  readonly fallback?: string;
  readonly helpGroup?: string;
}

/** One value; given twice is an error. */
export function string(about: FlagAbout): Interfaces.OptionFlag<string | undefined> {
  return Flags.string(shown(about, 'TEXT'));
}

/** The reference of an image. */
export function image(about: FlagAbout): Interfaces.OptionFlag<string | undefined> {
  return Flags.custom({ parse: async (text) => parseImage(text) })(shown(about, 'IMAGE'));
}

/** One value for each time it is given; commas are part of the value. */
export function stringArray(about: FlagAbout): Interfaces.OptionFlag<string[] | undefined> {
  return Flags.string({ ...shown(about, 'TEXT'), multiple: true, multipleNonGreedy: true });
}

/** Values between commas, without the spaces around them; given again, its values are added. */
export function strings(about: FlagAbout): Interfaces.OptionFlag<string[] | undefined> {
  return Flags.string({ ...shown(about, 'LIST'), multiple: true, multipleNonGreedy: true, delimiter: ',' });
}

/** A decimal number: `0.1`, `1e-3`. */
export function float(about: FlagAbout): Interfaces.OptionFlag<number | undefined> {
  return Flags.custom<number>({ parse: async (text) => parseDecimal(text) })(shown(about, 'NUMBER'));
}

/** A whole number as Go writes it: `8080`, `0x1f90`, `8_080`. */
export function int(about: FlagAbout): Interfaces.OptionFlag<number | undefined> {
  return Flags.custom<number>({ parse: async (text) => parseInteger(text) })(shown(about, 'NUMBER'));
}

/** Milliseconds of a duration as Go writes it: `90s`, `1h30m`. */
export function duration(about: FlagAbout): Interfaces.OptionFlag<number | undefined> {
  return Flags.custom<number>({ parse: async (text) => parseDuration(text) })(shown(about, 'DURATION'));
}

/** `--x`, `--x=true`, `--x=false`; undefined when it is not given. */
export function boolean(about: FlagAbout): Interfaces.BooleanFlag<boolean | undefined> {
  return Flags.boolean(shown(about, undefined));
}

const INTEGER =
  /^([+-]?)(?:(0[xX])(_?[0-9a-fA-F]+(?:_[0-9a-fA-F]+)*)|(0[bB])(_?[01]+(?:_[01]+)*)|(0[oO]?)(_?[0-7]+(?:_[0-7]+)*)|((?:0|[1-9][0-9]*(?:_[0-9]+)*)))$/;

/** Reads as Go's `strconv.ParseInt` with base 0 does. Throws ERR_BAD_ARGUMENT. */
export function parseInteger(text: string): number {
  const match = INTEGER.exec(text);
  const number = match === null ? Number.NaN : readInteger(match);
  if (!Number.isSafeInteger(number)) {
    throw badArgument(`found ${JSON.stringify(text)}; expected a whole number`);
  }
  return number;
}

/** Checks an image reference. Throws ERR_BAD_ARGUMENT when the text is none. */
async function parseImage(text: string): Promise<string> {
  if (findImageReference(text) !== undefined) return text;
  throw badArgument(`found ${JSON.stringify(text)}; expected an image reference`);
}

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Reads a decimal number; neither infinity nor what is none. Throws ERR_BAD_ARGUMENT. */
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
