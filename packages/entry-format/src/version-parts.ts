/** Matches words that mark a pre-release: `1.0-rc` is lower than `1.0`. */
const BEFORE_RELEASE = /^(?:dev|snapshot|a|alpha|b|beta|m|milestone|c|rc|cr|pre|preview)$/;

/**
 * Returns a text whose byte order is the order of versions, part by part: numbers numerically, words
 * case-insensitively, ignoring a leading `v`. A pre-release word is lower than no word.
 */
export function keyOfParts(version: string): string {
  const parts =
    version
      .toLowerCase()
      .replace(/^v(?=[0-9])/, '')
      .match(/[0-9]+|[^0-9.+_!-]+/g) ?? [];
  return `${parts.map(keyOfPart).join('')}1`;
}

/**
 * Returns the sort key of one part. Prefixes: `0` for a pre-release word, `1` for the end, `2` for another
 * word, `3` for a number.
 */
function keyOfPart(part: string): string {
  if (/^[0-9]/.test(part)) return `3${keyOfNumber(part.replace(/^0+(?=.)/, ''))}`;
  return `${BEFORE_RELEASE.test(part) ? '0' : '2'}${part}!`;
}

/** Returns the sort key of a number. It begins with the length, so that byte order is numeric order. */
export function keyOfNumber(digits: string): string {
  return `${String(digits.length).padStart(4, '0')}${digits}`;
}

/** Matches a Python version (PEP 440, appendix B), including spellings that are normalized. */
const PYTHON = new RegExp(
  '^v?(?:(?<epoch>[0-9]+)!)?(?<release>[0-9]+(?:\\.[0-9]+)*)' +
    '(?:[-_.]?(?<pre>a|b|c|rc|alpha|beta|pre|preview)[-_.]?(?<preNumber>[0-9]+)?)?' +
    '(?:-(?<implicit>[0-9]+)|[-_.]?(?<post>post|rev|r)[-_.]?(?<postNumber>[0-9]+)?)?' +
    '(?:[-_.]?(?<dev>dev)[-_.]?(?<devNumber>[0-9]+)?)?' +
    '(?:\\+(?<local>[a-z0-9]+(?:[-_.][a-z0-9]+)*))?$',
  'i',
);
const PHASES: Readonly<Record<string, string>> = { a: 'a', alpha: 'a', b: 'b', beta: 'b' };

/** Works like `keyOfParts` for Python versions (PEP 440); undefined for other text. */
export function keyOfPython(version: string): string | undefined {
  const { groups } = PYTHON.exec(version.trim()) ?? {};
  if (groups === undefined) return undefined;
  const { epoch, release = '', pre, implicit, post, dev, local } = groups;
  const numbers = release.replace(/(?:\.0+)+$/, '').split('.');
  const isPost = post !== undefined || implicit !== undefined;
  const phase = pre === undefined ? undefined : (PHASES[pre.toLowerCase()] ?? 'c');
  const beforeAll = dev !== undefined && !isPost ? '0' : '2';
  return [
    keyOf(epoch),
    `${numbers.map((one) => `1${keyOf(one)}`).join('')}0`,
    phase === undefined ? beforeAll : `1${phase}${keyOf(groups['preNumber'])}`,
    isPost ? `1${keyOf(implicit ?? groups['postNumber'])}` : '0',
    dev === undefined ? '1' : `0${keyOf(groups['devNumber'])}`,
    local === undefined ? '0' : `1${keyOfLocal(local)}`,
  ].join('');
}

function keyOf(digits = '0'): string {
  return keyOfNumber(digits.replace(/^0+(?=.)/, ''));
}

/**
 * Returns the sort key of a local version label. Numbers are higher than words, and a longer list is higher
 * than its prefix.
 */
function keyOfLocal(local: string): string {
  const parts = local.toLowerCase().split(/[-_.]/);
  return `${parts.map((one) => (/^[0-9]+$/.test(one) ? `2${keyOf(one)}` : `1${one}!`)).join('')}0`;
}
