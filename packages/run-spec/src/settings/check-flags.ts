import { codeOf, textOf } from '../parse/text-of.ts';
import { unreachable } from '../parse/unreachable.ts';
import type { PathContext } from '../parse/volume.ts';
import { checkUnresolvedPath } from '../run-config/checks/check-values.ts';
import { FIELD_CHECKS } from '../run-config/checks/field-checks.ts';
import type { FlagRow } from './flag-row.ts';
import { flagRow, RUN_FLAG_NAMES, type RunFlags, typedFlag } from './run-flags.ts';

/**
 * Checks flags and returns them in the form of their fields. Throws the first error. An invalid label is
 * dropped with a warning.
 */
export function checkFlags(flags: RunFlags, context: PathContext, warnings: string[]): RunFlags {
  const usedFlags = RUN_FLAG_NAMES.filter((name) => flags[name] !== undefined);
  const checked = usedFlags.map((name) => {
    const at = { place: typedFlag(name), context, warnings };
    return [name, checkFlag(flagRow(name), flags[name], at)];
  });
  return Object.fromEntries(checked) as RunFlags;
}

interface Checking {
  readonly place: string;
  readonly context: PathContext;
  readonly warnings: string[];
}

function checkFlag(row: FlagRow, input: unknown, at: Checking): unknown {
  if (row.names === 'files') {
    for (const file of textsOf(input)) checkUnresolvedPath(file, at.place);
    return input;
  }
  const convert = row.convert as ((value: unknown, place: string) => unknown) | undefined;
  const value = convert === undefined ? input : convert(input, at.place);
  const write = row.setting?.write as ((value: unknown) => unknown) | undefined;
  const written = write === undefined ? value : write(value);
  // `--session-ttl 0` and `--session-store memory` are explicit requests for the default.
  const isDefault = written === '' && written !== input;
  const checked = isDefault ? written : checkWritten(row, written, at);
  return write === undefined ? checked : value;
}

function checkWritten(row: FlagRow, value: unknown, at: Checking): unknown {
  const { place, context } = at;
  const field = FIELD_CHECKS[row.field];
  switch (field.of) {
    case 'text':
      return field.check(String(value), place, context);
    case 'number':
      return field.check(Number(value), place, context);
    case 'texts':
      return [...new Set(textsOf(value).map((text) => field.check(text, place, context)))];
    case 'pairs':
      return keepValid(row, textsOf(value), at, (text) => field.parse(text, place));
    case 'truth':
    case 'parts':
    case 'document':
      return value;
    default:
      return unreachable(field);
  }
}

function keepValid(
  row: FlagRow,
  texts: readonly string[],
  { warnings }: Checking,
  check: (text: string) => unknown,
): readonly string[] {
  return texts.filter((text) => {
    try {
      check(text);
      return true;
    } catch (error) {
      if (row.skips === undefined || codeOf(error) !== row.skips) throw error;
      warnings.push(`${textOf(error)}; it is left out.`);
      return false;
    }
  });
}

function textsOf(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [String(value)];
}
