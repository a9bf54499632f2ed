import { badSecretReference } from './parse-errors.ts';
import { hasControlCharacters } from './text-faults.ts';

/** Reference to a stored secret `name`, whose value is passed to the server as `target`. */
export interface SecretReference {
  readonly name: string;
  readonly target: string;
}

const MARK = ',target=';

/** Parses `NAME,target=TARGET`. Throws ERR_SECRET_REFERENCE. */
export function parseSecretReference(text: string, place: string): SecretReference {
  const reference = findSecretReference(text);
  if (reference === undefined) throw badSecretReference(place, text);
  return reference;
}

/** Parses a secret reference. Returns undefined for other text, which may be a secret itself. */
export function findSecretReference(text: string): SecretReference | undefined {
  const at = text.indexOf(MARK);
  if (at === -1) return undefined;
  const [name, target] = [text.slice(0, at), text.slice(at + MARK.length)];
  const isWhole = name.trim() !== '' && !name.includes(',') && target !== '' && !/[\s=]/u.test(target);
  return isWhole && !hasControlCharacters(text) ? { name, target } : undefined;
}

export function formatSecretReference({ name, target }: SecretReference): string {
  return `${name}${MARK}${target}`;
}
