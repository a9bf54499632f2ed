import type { IndexedPackage } from '@portolan/plugin-api';
import { badPackage } from './target-errors.ts';

const PART = '[A-Za-z0-9~][A-Za-z0-9._~-]*';
const NAME = new RegExp(`^(?:@${PART}/)?${PART}$`);
/** Maximum length of an npm package name. */
const LONGEST = 214;
const IDENTIFIER = '(?:0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)';
/** Matches an exact version (Semantic Versioning 2.0.0), with the optional `v` that npm strips. */
const EXACT = new RegExp(
  `^v?((?:0|[1-9][0-9]*)(?:\\.(?:0|[1-9][0-9]*)){2}(?:-${IDENTIFIER}(?:\\.${IDENTIFIER})*)?(?:\\+[0-9A-Za-z.-]+)?)$`,
);
const PARTIAL = `v?(?:[0-9]+|[xX*])(?:\\.(?:[0-9]+|[xX*])){0,2}(?:-${IDENTIFIER}(?:\\.${IDENTIFIER})*)?`;
const COMPARATOR = `(?:[~^=]|[<>]=?)?${PARTIAL}`;
const COMPARATORS = `(?:${PARTIAL} - ${PARTIAL}|${COMPARATOR}(?: ${COMPARATOR})*)`;
/** Matches a version range, which the scheme resolves to a version. */
const RANGE = new RegExp(`^${COMPARATORS}(?: ?\\|\\| ?${COMPARATORS})*$`);
/** Maximum length of a range, in characters. */
const MAX_RANGE_LENGTH = 256;
const TAG = /^[A-Za-z][A-Za-z0-9._-]*$/;
const HINT =
  'Write NAME, @SCOPE/NAME, or either with @VERSION behind it (npx://@acme/notes-mcp@2.1.0), or a folder that starts with ./ or ../.';

/**
 * Parses `[@scope/]name[@version]`: an exact version, a tag, or a range such as `^1.2` or `>=1 <2`. Throws
 * ERR_PACKAGE.
 */
export function parseNpmPackage(text: string): IndexedPackage {
  const at = text.indexOf('@', 1);
  const name = at === -1 ? text : text.slice(0, at);
  const requested = at === -1 ? undefined : text.slice(at + 1);
  if (!NAME.test(name) || name.length > LONGEST) throw badPackage(text, 'npm has no such names', HINT);
  if (requested === undefined) return { from: 'index', name, extras: [], version: undefined, pinned: false };
  const exact = EXACT.exec(requested)?.[1];
  const isRange = requested.length <= MAX_RANGE_LENGTH && RANGE.test(requested);
  if (exact === undefined && !isRange && !TAG.test(requested)) {
    throw badPackage(text, 'what stands behind the @ is no version, range or tag', HINT);
  }
  return { from: 'index', name, extras: [], version: exact ?? requested, pinned: exact !== undefined };
}
