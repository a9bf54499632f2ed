import { isJsonObject, listOf, memberOf } from './json-value.ts';
import { keyOfNumber, keyOfParts, keyOfPython } from './version-parts.ts';

const NUMBER = '(?:0|[1-9][0-9]*)';
const IDENTIFIER = `(?:${NUMBER}|[0-9]*[A-Za-z-][0-9A-Za-z-]*)`;
const SEMANTIC = new RegExp(
  `^(${NUMBER})\\.(${NUMBER})\\.(${NUMBER})(?:-(${IDENTIFIER}(?:\\.${IDENTIFIER})*))?$`,
);

/**
 * Returns whether a version is three numbers and an optional pre-release (semver.org 2.0), without build
 * metadata and a leading `v`.
 */
export function isSemanticVersion(version: string): boolean {
  return SEMANTIC.test(version);
}

/**
 * Returns whether a text is a version range: comparators (`^1.2`, `>=1`), alternatives (`||`), hyphen ranges
 * (`1.0 - 2.0`) or wildcards (`1.x`, `1.2.*`).
 */
export function isVersionRange(version: string): boolean {
  const core = version.trim().split(/[-+]/, 1)[0] ?? '';
  return (
    /(?:^|[\s,])[\^~<>=]/.test(version) ||
    version.includes('||') ||
    /\S\s+-\s+\S/.test(version) ||
    /^v?(?:[0-9]+\.)*[xX*](?:\.(?:[xX*]|[0-9]+))*$/.test(core)
  );
}

/** Returns the fault of a version, as the end of a sentence. */
export function findVersionFault(version: string): string | undefined {
  if (version === '') return 'is empty; expected one concrete version, as in "1.0.0"';
  if (version === 'latest')
    return 'is not one version: clients read it as "the newest"; expected one concrete version, as in "1.0.0"';
  if (isVersionRange(version)) return 'stands for several versions; expected one concrete version';
  // Such a version could be stored but never requested, because no path may contain these characters.
  if (/[\s\p{Cc}]/u.test(version)) return 'has white space or control characters; expected none';
  if (/^\.{1,2}$/.test(version)) return 'is a step in a path, which clients fold away; expected a version';
  return undefined;
}

/**
 * Returns a unique text whose byte order (UTF-8) is the order of an entry's versions, lowest first.
 *
 * - Semantic versions are above all others, ordered by precedence (semver.org 2.0, section 11).
 * - Other versions are ordered by publication time.
 * - Versions with equal publication times are ordered by PEP 440 when all packages of the entry are Python
 *   packages, otherwise part by part, and then as text.
 *
 * `document` is the entry or its JSON. `publishedAt` is an ISO 8601 time in years 0 to 9999. Throws a
 * RangeError when `publishedAt` is anything else and the version is not semantic.
 */
export function versionOrderKey(version: string, publishedAt: string, document?: unknown): string {
  const match = SEMANTIC.exec(version);
  if (match === null)
    return `0${new Date(publishedAt).toISOString()}${keyAtOneTime(version, document)}${version}`;
  const [, major = '', minor = '', patch = '', preRelease] = match;
  return `1${keyOfNumber(major)}${keyOfNumber(minor)}${keyOfNumber(patch)}${keyOfPreRelease(preRelease)}`;
}

/**
 * Returns the sort key of a version among those published at the same time. Versions that are not Python
 * versions are lower than Python versions.
 */
function keyAtOneTime(version: string, document: unknown): string {
  const python = isOfPython(document) ? keyOfPython(version) : undefined;
  return python === undefined ? `0${keyOfParts(version)}` : `1${python}`;
}

function isOfPython(document: unknown): boolean {
  const entry: unknown = typeof document === 'string' ? JSON.parse(document) : document;
  const packages = isJsonObject(entry) ? listOf(entry, 'packages') : [];
  return packages.length > 0 && packages.every((item) => memberOf(item, 'registryType') === 'pypi');
}

/**
 * Prefixes: `0` ends a list, so that the shorter one is lower; `1` starts a number; `2` starts a word, which
 * "!" ends, since it is lower than any character of a word; `3` marks a release.
 */
function keyOfPreRelease(preRelease: string | undefined): string {
  if (preRelease === undefined) return '3';
  const identifiers = preRelease.split('.');
  return `${identifiers.map((each) => (/^[0-9]+$/.test(each) ? `1${keyOfNumber(each)}` : `2${each}!`)).join('')}0`;
}
