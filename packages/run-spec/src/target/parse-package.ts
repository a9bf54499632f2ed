import type { Ecosystem, PackageParser, PackageReference } from '@portolan/plugin-api';
import { badPackage } from './target-errors.ts';
import { hasControlCharacters } from '../parse/text-faults.ts';
import { parseNpmPackage } from './npm-package.ts';
import { isPackageFolder, parsePackageFolder } from './package-folder.ts';
import { parsePythonPackage } from './python-package.ts';

/** Matches a lower-case domain name (Go module reference, "Module paths"). */
const DOMAIN = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+$/;
const ELEMENT = /^[A-Za-z0-9_~+-](?:[A-Za-z0-9._~+-]*[A-Za-z0-9_~+-])?$/;
const EXACT = /^v(?:0|[1-9][0-9]*)(?:\.(?:0|[1-9][0-9]*)){2}(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/;
/** Matches the version part of a Go module: `latest`, a branch, a commit, `v1`. */
const QUERY = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;
const HINT =
  'Write an import path, perhaps with @VERSION behind it (go://example.org/acme/tool@v1.2.0), or a folder that starts with ./ or ../.';

/** Parses a Go module path with an optional version. Throws ERR_PACKAGE. */
function parseGoPackage(text: string): PackageReference {
  const at = text.indexOf('@');
  const name = at === -1 ? text : text.slice(0, at);
  const version = at === -1 ? undefined : text.slice(at + 1);
  const [domain = '', ...elements] = name.split('/');
  if (!DOMAIN.test(domain)) throw badPackage(text, 'an import path begins with the name of a host', HINT);
  if (!elements.every((element) => ELEMENT.test(element))) {
    throw badPackage(text, 'Go has no such import paths', HINT);
  }
  if (version === undefined) return { from: 'index', name, extras: [], version, pinned: false };
  const pinned = EXACT.test(version);
  if (!pinned && !QUERY.test(version)) throw badPackage(text, 'what stands behind the @ is no version', HINT);
  return { from: 'index', name, extras: [], version, pinned };
}

const PARSERS: Readonly<Record<Ecosystem, PackageParser>> = {
  npm: parseNpmPackage,
  python: parsePythonPackage,
  go: parseGoPackage,
};

const LONGEST = 512;

/**
 * Parses the text after a scheme: a name, an optional version and, for npm and Python, an optional
 * `#PROGRAM`; or a folder. Throws ERR_PACKAGE for addresses, files, options, and shell characters.
 */
export function parsePackage(text: string, packages: Ecosystem | PackageParser): PackageReference {
  const hint = 'Write a package as its index names it, perhaps with @VERSION behind it.';
  if (text === '') throw badPackage(text, 'it is empty', hint);
  if (text.length > LONGEST) throw badPackage(text, `it has more than ${LONGEST} characters`, hint);
  if (hasControlCharacters(text)) throw badPackage(text, 'it holds control characters', hint);
  if (typeof packages === 'function') return packages(text);
  const at = text.indexOf('#');
  if (at === -1) return parseReference(text, packages);
  if (packages === 'go') throw badPackage(text, 'the import path itself names the program', GO_PROGRAM_HINT);
  const program = text.slice(at + 1);
  if (!PROGRAM.test(program)) {
    throw badPackage(
      text,
      'the text after # is no name of a program',
      'Write PACKAGE#PROGRAM: uvx://pip-tools#pip-compile.',
    );
  }
  return { ...parseReference(text.slice(0, at), packages), program };
}

function parseReference(text: string, packages: Ecosystem): PackageReference {
  return isPackageFolder(text) ? parsePackageFolder(text) : PARSERS[packages](text);
}

/** Matches the name of a program, which is neither a path nor an option. */
const PROGRAM = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/;
const GO_PROGRAM_HINT =
  'Write the import path of the program, such as go://example.org/acme/tool/cmd/server.';

export function isProgramName(text: string): boolean {
  return PROGRAM.test(text);
}

/** Formats a package as its scheme parses it: `@acme/notes-mcp@2.1.0`, `./cmd/server`. */
export function formatPackage(reference: PackageReference): string {
  const program = reference.program === undefined ? '' : `#${reference.program}`;
  if (reference.from === 'folder') return `${reference.path}${program}`;
  const extras = reference.extras.length === 0 ? '' : `[${reference.extras.join(',')}]`;
  const version = reference.version === undefined ? '' : `@${reference.version}`;
  return `${reference.name}${extras}${version}${program}`;
}
