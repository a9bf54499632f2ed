import type { KeyValue } from '../../parse/key-value.ts';
import type { PathContext } from '../../parse/volume.ts';

/**
 * Returns the value of a field as it is stored. Throws a coded error that names `place` for an invalid value.
 * `context` resolves relative paths; without it, paths stay as they are.
 */
type Check<Value> = (value: Value, place: string, context: PathContext | undefined) => Value;

/** The check of one field, by the JSON type of its value. */
export type FieldCheck =
  | { readonly of: 'text'; readonly check: Check<string> }
  | { readonly of: 'number'; readonly check: Check<number> }
  | { readonly of: 'truth' }
  /** A list of strings; the check receives each item. */
  | { readonly of: 'texts'; readonly check: Check<string> }
  /** A map of strings; the check receives each member. `parse` parses a member from `KEY=VALUE`. */
  | {
      readonly of: 'pairs';
      readonly parse: (text: string, place: string) => KeyValue;
      readonly check: Check<KeyValue>;
    }
  /** A map whose parts have their own checks. */
  | { readonly of: 'parts' }
  /** A document that its own parser or plugin kind checks, in a flag or a run config. */
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
