import type ignoreFactory from 'ignore';

/** Whether a path, relative and with slashes, is left out of a context. */
export interface IgnoreRules {
  readonly leavesOut: (path: string, isFolder: boolean) => boolean;
  /** Whether something below a folder that is left out may be taken in again. */
  readonly takesIn: boolean;
}

/**
 * The rules of a `.dockerignore`: each pattern begins at the folder's root, the
 * last that matches a path or a folder above it decides, and `!` takes in again,
 * below a folder that is left out too.
 */
export async function readIgnoreRules(text: string): Promise<IgnoreRules> {
  const lines = text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  const rules = lines.length === 0 ? [] : await compile(lines);
  return {
    takesIn: rules.some(({ isTaking }) => isTaking),
    leavesOut: (path, isFolder) => {
      const asked = isFolder ? `${path}/` : path;
      return rules.findLast(({ matcher }) => matcher.ignores(asked))?.isTaking === false;
    },
  };
}

interface Rule {
  readonly isTaking: boolean;
  readonly matcher: ignoreFactory.Ignore;
}

/** One matcher a rule, since the library's own order of rules is that of git. */
async function compile(lines: readonly string[]): Promise<readonly Rule[]> {
  const { default: ignore } = await import('ignore');
  return lines.flatMap((line) => {
    const isTaking = line.startsWith('!');
    const pattern = (isTaking ? line.slice(1).trim() : line).replace(/^\.?\/+/, '').replace(/\/+$/, '');
    return pattern === '' || pattern === '.' ? [] : [{ isTaking, matcher: ignore().add(`/${pattern}`) }];
  });
}
