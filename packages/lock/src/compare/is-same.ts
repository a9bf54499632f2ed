import { isJsonObject, type JsonObject } from '@portolan/plugin-api';

/**
 * Returns whether two JSON values have the same digest, without the cost of one. `approved` is the parsed
 * canonical JSON: its texts are in NFC. Values that JSON cannot encode are never the same.
 */
export function isSameValue(approved: unknown, current: unknown): boolean {
  if (approved === current) return true;
  if (typeof approved === 'string')
    return typeof current === 'string' && current.length > 0 && current.normalize('NFC') === approved;
  if (Array.isArray(approved)) {
    if (!Array.isArray(current) || approved.length !== current.length) return false;
    for (let at = 0; at < approved.length; at += 1) if (!isSameValue(approved[at], current[at])) return false;
    return true;
  }
  return isJsonObject(approved) && isJsonObject(current) && hasSameMembers(approved, current);
}

function hasSameMembers(approved: JsonObject, current: JsonObject): boolean {
  const names = Object.keys(approved);
  if (names.length !== Object.keys(current).length) return false;
  for (const name of names)
    if (!Object.hasOwn(current, name) || !isSameValue(approved[name], current[name])) return false;
  return true;
}
