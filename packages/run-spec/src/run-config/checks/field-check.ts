import type { KeyValue } from '../../parse/key-value.ts';
import type { PathContext } from '../../parse/volume.ts';

/**
 * Function that checks a value and returns its stored form. Throws a coded error that names `place`. Without
 * `context`, it does not resolve paths.
 */
type Check<Value> = (value: Value, place: string, context: PathContext | undefined) => Value;

/** Check of one field, by the JSON type of the value. */
export type FieldCheck =
  | { readonly of: 'text'; readonly check: Check<string> }
  | { readonly of: 'number'; readonly check: Check<number> }
  | { readonly of: 'truth' }
  /** The check receives each item. */
  | { readonly of: 'texts'; readonly check: Check<string> }
  /** The check receives each member. `parse` parses a member from `KEY=VALUE`. */
  | {
      readonly of: 'pairs';
      readonly parse: (text: string, place: string) => KeyValue;
      readonly check: Check<KeyValue>;
    }
  /** An object whose parts have checks of their own. */
  | { readonly of: 'parts' }
  /** An object that a parser or plugin kind checks. */
  | { readonly of: 'document'; readonly checkedBy: string };

export function text(check: Check<string>): FieldCheck & { of: 'text' } {
  return { of: 'text', check };
}

export function number(check: Check<number>): FieldCheck & { of: 'number' } {
  return { of: 'number', check };
}

export function texts(check: Check<string>): FieldCheck & { of: 'texts' } {
  return { of: 'texts', check };
}

export function pairs(
  parse: (text: string, place: string) => KeyValue,
  check: Check<KeyValue>,
): FieldCheck & { of: 'pairs' } {
  return { of: 'pairs', parse, check };
}

export function document(checkedBy: string): FieldCheck & { of: 'document' } {
  return { of: 'document', checkedBy };
}

export const truth: FieldCheck & { of: 'truth' } = { of: 'truth' };
export const parts: FieldCheck & { of: 'parts' } = { of: 'parts' };
