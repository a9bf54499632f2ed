import type ignoreFactory from 'ignore';

/** Exclusion rules of a build context, for relative paths with forward slashes. */
export interface IgnoreRules {
  readonly leavesOut: (path: string, isFolder: boolean) => boolean;
  /**
   * Whether a `!` rule may include a path below an excluded folder, so that excluded folders must be searched
   * too.
   */
  readonly takesIn: boolean;
}

/**
 * Parses a `.dockerignore` file. Patterns are relative to the root. The last pattern that matches a path or a
 * parent folder decides. `!` includes a path even below an excluded folder.
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
      const candidate = isFolder ? `${path}/` : path;
      return rules.findLast(({ matcher }) => matcher.ignores(candidate))?.isTaking === false;
    },
  };
}

interface Rule {
  readonly isTaking: boolean;
  readonly matcher: ignoreFactory.Ignore;
}

/**
 * Creates one matcher per rule. The `ignore` library would combine several rules as git does, which differs
 * from Docker.
 */
async function compile(lines: readonly string[]): Promise<readonly Rule[]> {
  const { default: ignore } = await import('ignore');
  return lines.flatMap((line) => {
    const isTaking = line.startsWith('!');
    const pattern = (isTaking ? line.slice(1).trim() : line).replace(/^\.?\/+/, '').replace(/\/+$/, '');
    return pattern === '' || pattern === '.' ? [] : [{ isTaking, matcher: ignore().add(`/${pattern}`) }];
  });
}
