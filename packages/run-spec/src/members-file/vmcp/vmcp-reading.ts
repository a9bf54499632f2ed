import { type FieldReader, pathOf } from '../../document/field-reader.ts';
import type { JsonMembers } from '../../document/json-members.ts';
import { textOf } from '../../parse/text-of.ts';
import { checkField } from '../../run-config/checks/check-fields.ts';
import type { FieldName } from '../../run-config/checks/field-checks.ts';

/** State of reading a file of `thv vmcp`. */
export interface VmcpReading {
  readonly fields: FieldReader;
  readonly notes: string[];
}

/** Returns whether a key has a value that is not its type's zero value. */
export function isSet(map: JsonMembers, key: string): boolean {
  const value = map[key];
  if (value === undefined || value === null || value === '' || value === false || value === 0) return false;
  return typeof value !== 'object' || Object.keys(value).length > 0;
}

/** Adds a problem for each key whose setting has no counterpart in Portolan. `why` names what to do instead. */
export function refuseKeys(
  { fields }: VmcpReading,
  map: JsonMembers,
  at: string,
  why: Readonly<Record<string, string>>,
): void {
  for (const [key, because] of Object.entries(why)) {
    if (isSet(map, key)) fields.problems.push(`${pathOf(at, key)}: Portolan has no counterpart; ${because}`);
  }
}

/** Adds a note for each key without effect in Portolan. */
export function noteKeys(
  { notes }: VmcpReading,
  map: JsonMembers,
  at: string,
  why: Readonly<Record<string, string>>,
): void {
  for (const [key, because] of Object.entries(why)) {
    if (isSet(map, key)) notes.push(`${pathOf(at, key)} has no effect: ${because}.`);
  }
}

/** Returns a value after the check of a run config field; adds a problem for an invalid value. */
export function checkedAs({ fields }: VmcpReading, name: FieldName, value: unknown, place: string): unknown {
  try {
    return checkField(name, value, place);
  } catch (error) {
    fields.problems.push(textOf(error));
    return value;
  }
}

/** Returns the keys with a text, by the names of Portolan. */
export function textsAs(
  { fields }: VmcpReading,
  map: JsonMembers,
  at: string,
  names: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const read = Object.entries(names).map(([key, name]) => [name, fields.text(map, key, at)] as const);
  return Object.fromEntries(read.filter(([, text]) => text !== ''));
}
