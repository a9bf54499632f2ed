import { type NamePattern, readNamePattern } from '@portolan/entry-format';

export type Selection =
  /**
   * Whether the path is a file, or a folder with everything below it. Only the repository shows which of the
   * two it is.
   */
  | { readonly kind: 'place'; readonly path: string }
  | { readonly kind: 'pattern'; readonly base: string; readonly matches: (path: string) => boolean };

/**
 * In a pattern, `*`, `?`, `[a-z]` and `{a,b}` match within one part, and `**` any number of parts. A name
 * with a leading dot needs a pattern with one. Matching takes linear time. Throws a SyntaxError that
 * describes the fault, as in "which climbs".
 */
export function readSelection(text: string): Selection {
  // oxlint-disable-next-line no-control-regex -- they are what is looked for
  if (/[\u0000-\u001f\u007f\\]/.test(text) || !text.isWellFormed())
    throw new SyntaxError('which has a backslash or a control character');
  if (text.startsWith('/') || /^[a-z]:/i.test(text)) throw new SyntaxError('which is absolute');
  if (text.startsWith('-')) throw new SyntaxError('which begins with -');
  if (text.startsWith('~')) throw new SyntaxError('which begins with ~');
  const parts = text
    .split('/')
    .filter((part, at, all) => part !== '.' && !(part === '' && at === all.length - 1));
  if (parts.includes('..')) throw new SyntaxError('which climbs out of the repository');
  if (parts.includes('')) throw new SyntaxError('which has an empty part');
  if (parts.some((part) => part.toLowerCase() === '.git')) throw new SyntaxError('which leads into .git');
  const first = parts.findIndex((part) => /[*?[{]/.test(part));
  if (first === -1) return { kind: 'place', path: parts.join('/') };
  return { kind: 'pattern', base: parts.slice(0, first).join('/'), matches: matcherOf(parts) };
}

/** Returns whether a path ends in `.json` and no part of it begins with a dot. */
export function isJsonBelow(folder: string): (path: string) => boolean {
  const prefix = folder === '' ? '' : `${folder}/`;
  return (path) =>
    path.startsWith(prefix) && path.endsWith('.json') && !path.slice(prefix.length).split('/').some(isHidden);
}

const ANY_DEPTH = Symbol('any number of parts');

type Part = typeof ANY_DEPTH | NamePattern;

function matcherOf(texts: readonly string[]): (path: string) => boolean {
  const parts = texts.map(readPart);
  return (path) => matches(parts, path.split('/'));
}

function readPart(text: string): Part {
  if (text === '**') return ANY_DEPTH;
  try {
    const pattern = readNamePattern(text);
    return (name) => name.startsWith('.') === text.startsWith('.') && pattern(name);
  } catch (error) {
    throw new SyntaxError(`which cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/**
 * Matches a path. Backtracks only to the last `**`, because an earlier one can match nothing that the last
 * one cannot.
 */
function matches(parts: readonly Part[], names: readonly string[]): boolean {
  let part = 0;
  let at = 0;
  let retry: { readonly part: number; readonly at: number } | undefined;
  while (at < names.length) {
    const requested = parts[part];
    const name = names[at] ?? '';
    if (requested === ANY_DEPTH) {
      part += 1;
      retry = { part, at };
    } else if (requested?.(name) === true) {
      part += 1;
      at += 1;
    } else if (retry === undefined || isHidden(names[retry.at])) return false;
    else {
      retry = { part: retry.part, at: retry.at + 1 };
      ({ part, at } = retry);
    }
  }
  return part === parts.length;
}

function isHidden(name: string | undefined): boolean {
  return name?.startsWith('.') === true;
}
