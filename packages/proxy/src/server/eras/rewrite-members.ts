import { findValue, spliceChanges } from '@portolan/mcp-protocol';
import type { MessageChange } from '@portolan/plugin-api';

/** Returns the JSON text of a value, unchanged. */
export function textAt(text: string, path: readonly string[]): string | undefined {
  const span = findValue(text, path);
  return span === undefined ? undefined : text.slice(span.start, span.end);
}

/**
 * Sets members of an object inside a message, and creates the objects above it. A member without JSON text is
 * removed if it exists. All other characters stay.
 */
export function setMembers(
  text: string,
  path: readonly string[],
  members: Readonly<Record<string, string | undefined>>,
): string {
  const missing = path.findIndex((_name, at) => !isObjectAt(text, path.slice(0, at + 1)));
  if (missing < 0) {
    const changes = Object.entries(members).flatMap(([name, json]): readonly MessageChange[] => {
      const member = [...path, name];
      if (json !== undefined) return [{ path: member, json }];
      return findValue(text, member) === undefined ? [] : [{ path: member, json: undefined }];
    });
    return spliceChanges(text, changes);
  }
  const entries = Object.entries(members).flatMap(([name, json]) =>
    json === undefined ? [] : [`${JSON.stringify(name)}:${json}`],
  );
  if (entries.length === 0) return text;
  const json = path
    .slice(missing + 1)
    .reduceRight((inner, name) => `{${JSON.stringify(name)}:${inner}}`, `{${entries.join(',')}}`);
  return spliceChanges(text, [{ path: path.slice(0, missing + 1), json }]);
}

/** Removes a member from some items of a list. */
export function removeInItems(
  text: string,
  path: readonly string[],
  items: readonly number[],
  name: string,
): string {
  return spliceChanges(
    text,
    items.map((at) => ({ path: [...path, at, name], json: undefined })),
  );
}

function isObjectAt(text: string, path: readonly string[]): boolean {
  return textAt(text, path)?.startsWith('{') === true;
}
