import type { Ecosystem, PackageParser, PackageReference } from '@portolan/plugin-api';
import { badPackage } from './target-errors.ts';
import { hasControlCharacters } from '../parse/text-faults.ts';
import { parseGoPackage } from './go-package.ts';
import { parseNpmPackage } from './npm-package.ts';
import { parsePythonPackage } from './python-package.ts';

const PARSERS: Readonly<Record<Ecosystem, PackageParser>> = {
  npm: parseNpmPackage,
  python: parsePythonPackage,
  go: parseGoPackage,
};

const LONGEST = 512;

/**
 * What stands behind `npx://`, `uvx://`, `go://` or the scheme of a plugin,
 * taken apart. Throws ERR_PACKAGE for everything that is no plain name with
 * perhaps a version: addresses, files, options, and whatever a shell would read.
 */
export function parsePackage(text: string, packages: Ecosystem | PackageParser): PackageReference {
  const hint = 'Write a package as its index names it, perhaps with @VERSION behind it.';
  if (text === '') throw badPackage(text, 'it is empty', hint);
  if (text.length > LONGEST) throw badPackage(text, `it has more than ${LONGEST} characters`, hint);
  if (hasControlCharacters(text)) throw badPackage(text, 'it holds control characters', hint);
  return (typeof packages === 'function' ? packages : PARSERS[packages])(text);
}

/** Written so that the scheme reads it again: `@acme/notes-mcp@2.1.0`, `./cmd/server`. */
export function formatPackage(reference: PackageReference): string {
  if (reference.from === 'folder') return reference.path;
  const extras = reference.extras.length === 0 ? '' : `[${reference.extras.join(',')}]`;
  const version = reference.version === undefined ? '' : `@${reference.version}`;
  return `${reference.name}${extras}${version}`;
}
