import { countCharacters } from './count-characters.ts';

const NAMESPACE = /^[A-Za-z0-9](?:[A-Za-z0-9.-]*[A-Za-z0-9])?$/;
const NAME = /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/;
const SKILL_NAME = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/;

/**
 * Returns whether a text is a server name: 3 to 200 characters with exactly one slash. Both parts begin and
 * end with a letter or digit; in between, the namespace may contain `.` and `-`, and the name also `_`.
 */
export function isServerName(text: string): boolean {
  return findServerNameFault(text) === undefined;
}

/** Returns the fault of a server name, as the end of a sentence. */
export function findServerNameFault(text: string): string | undefined {
  if (text.length < 3 || text.length > 200) return `has ${countCharacters(text.length)}; expected 3 to 200`;
  const parts = text.split('/');
  const [namespace, name] = parts;
  if (namespace === undefined || name === undefined || parts.length !== 2) {
    return `has ${parts.length - 1} slashes; expected exactly one, as in "com.acme/notes"`;
  }
  const rule = 'that begin and end with a letter or digit';
  if (!NAMESPACE.test(namespace)) {
    return `has a wrong part before the slash; expected letters, digits, "." and "-" ${rule}`;
  }
  if (!NAME.test(name)) {
    return `has a wrong part after the slash; expected letters, digits, ".", "_" and "-" ${rule}`;
  }
  return undefined;
}

/** Returns whether a text is a valid name of a skill or plugin within its namespace. */
export function isSkillName(text: string): boolean {
  return findSkillNameFault(text) === undefined;
}

export function findSkillNameFault(text: string): string | undefined {
  if (text.length < 1 || text.length > 64) return `has ${countCharacters(text.length)}; expected 1 to 64`;
  if (SKILL_NAME.test(text)) return undefined;
  return 'is not well-formed; expected lower-case letters, digits and "-", beginning and ending with a letter or digit';
}

export function findNamespaceFault(text: string): string | undefined {
  if (text.length < 3 || text.length > 128) return `has ${countCharacters(text.length)}; expected 3 to 128`;
  if (NAME.test(text)) return undefined;
  return 'is not well-formed; expected letters, digits, ".", "_" and "-", beginning and ending with a letter or digit';
}
