import type { Dirent, Stats } from 'node:fs';
import { readdir, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { IgnoreRules } from './ignore-rules.ts';
import { mountTooLarge, mountUnsearchable } from './overlays-errors.ts';

export interface HiddenPath {
  /** Relative path with `/` as separator and without symbolic links. */
  readonly relative: string;
  readonly isFolder: boolean;
}

export interface HiddenPaths {
  /** Hidden paths, sorted. No path in the list lies below another. */
  readonly hidden: readonly HiddenPath[];
  readonly warnings: readonly string[];
}

export interface SearchOptions {
  readonly limit: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Finds everything below `root`, a real path, that the ignore rules hide. Does not search hidden folders or
 * follow links. A hidden link also hides its target inside the folder. Throws ERR_IGNORE_FILE for everything
 * unreadable, and the reason of the signal.
 */
export async function findHidden(
  root: string,
  rules: IgnoreRules,
  { limit, signal }: SearchOptions,
): Promise<HiddenPaths> {
  const search = new Search(root, rules, limit, signal);
  await search.walk();
  await search.addLiterals();
  return { hidden: withoutInner(search.hiddenPaths), warnings: [...search.warnings] };
}

class Search {
  readonly hiddenPaths = new Map<string, HiddenPath>();
  readonly warnings = new Set<string>();
  readonly #root: string;
  readonly #rules: IgnoreRules;
  readonly #limit: number;
  readonly #signal: AbortSignal | undefined;
  #seen = 0;

  constructor(root: string, rules: IgnoreRules, limit: number, signal: AbortSignal | undefined) {
    this.#root = root;
    this.#rules = rules;
    this.#limit = limit;
    this.#signal = signal;
  }

  async walk(): Promise<void> {
    const waiting = [''];
    for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
      for (const entry of await this.#list(folder)) {
        const relative = folder + entry.name;
        if (entry.isSymbolicLink()) await this.#visitLink(relative);
        else if (!entry.isDirectory()) this.#judge(relative, false);
        else if (!this.#judge(relative, true)) waiting.push(`${relative}/`);
      }
    }
  }

  /**
   * Hides the paths that ignore lines name literally. Characters such as `[` have a meaning in patterns, but
   * may also be a part of a name.
   */
  async addLiterals(): Promise<void> {
    for (const literal of this.#rules.literals) {
      const normal = path.posix.normalize(`./${literal}`);
      if (normal.startsWith('../') || normal === '..') continue;
      const stats = await this.#statOf(normal);
      if (stats === undefined || (literal.endsWith('/') && !stats.isDirectory())) continue;
      if (normal === '.' || normal === './') await this.#addAll();
      else await this.#addReal(normal.replace(/\/$/, ''));
    }
  }

  #judge(relative: string, isFolder: boolean): boolean {
    const verdict = this.#rules.verdictOf(isFolder ? `${relative}/` : relative);
    if (verdict === 'shown') return false;
    if (verdict === 'kept') {
      this.warnings.add(
        `${relative} stays hidden: a line that starts with "!" cannot show what another line names`,
      );
    }
    this.hiddenPaths.set(relative, { relative, isFolder });
    return true;
  }

  /**
   * Searches the folder to which a symbolic link leads. Only rules that name a path from the mounted folder
   * apply there.
   */
  async #visitLink(relative: string, depth = relative.split('/').length): Promise<void> {
    const target = await this.#statOf(relative);
    if (target === undefined) return; // a broken link
    const isHidden =
      this.#rules.verdictOf(relative) !== 'shown' ||
      (target.isDirectory() && this.#rules.isPlain(`${relative}/`));
    if (isHidden) return await this.#addReal(relative);
    if (!target.isDirectory() || depth >= this.#rules.depth || !(await this.#isInside(relative))) return;
    for (const { name } of await this.#list(`${relative}/`)) {
      const inner = `${relative}/${name}`;
      const stats = await this.#statOf(inner);
      if (stats === undefined) continue;
      if (this.#rules.isPlain(stats.isDirectory() ? `${inner}/` : inner)) await this.#addReal(inner);
      else if (stats.isDirectory()) await this.#visitLink(inner, depth + 1);
    }
  }

  /** Hides the target of a path. A target outside the folder is not in the container either. */
  async #addReal(relative: string): Promise<void> {
    const real = await this.#realOf(relative);
    if (real === undefined) return;
    const inside = insideOf(this.#root, real);
    if (inside === undefined) return;
    if (inside === '' || `${path.posix.dirname(relative)}/`.startsWith(`${inside}/`)) {
      this.warnings.add(`${relative} is a link to a folder around itself, in which nothing is hidden by it`);
      return;
    }
    const stats = await this.#statOf(inside);
    if (stats !== undefined)
      this.hiddenPaths.set(inside, { relative: inside, isFolder: stats.isDirectory() });
  }

  async #addAll(): Promise<void> {
    for (const { name } of await this.#list('')) await this.#addReal(name);
  }

  async #isInside(relative: string): Promise<boolean> {
    const real = await this.#realOf(relative);
    return real !== undefined && insideOf(this.#root, real) !== undefined;
  }

  async #list(folder: string): Promise<readonly Dirent[]> {
    this.#signal?.throwIfAborted();
    const absolute = path.join(this.#root, folder);
    const entries = await this.#orUndefined(absolute, readdir(absolute, { withFileTypes: true }));
    for (const { name } of entries ?? []) {
      // Node.js replaces invalid UTF-8 in file names, so a file with this name cannot be opened.
      if (name.includes('\uFFFD')) throw mountUnsearchable(absolute, 'a name in it is no UTF-8');
    }
    this.#seen += entries?.length ?? 0;
    if (this.#seen > this.#limit) throw mountTooLarge(this.#root, this.#limit);
    return entries ?? [];
  }

  async #statOf(relative: string): Promise<Stats | undefined> {
    const absolute = path.join(this.#root, relative);
    return await this.#orUndefined(absolute, stat(absolute));
  }

  async #realOf(relative: string): Promise<string | undefined> {
    const absolute = path.join(this.#root, relative);
    return await this.#orUndefined(absolute, realpath(absolute));
  }

  async #orUndefined<T>(absolute: string, pending: Promise<T>): Promise<T | undefined> {
    try {
      return await pending;
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
      if (['ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'].includes(code)) return undefined;
      throw mountUnsearchable(absolute, code, error);
    }
  }
}

/** Returns a path relative to `root`: empty for `root` itself, undefined for a path outside of it. */
function insideOf(root: string, absolute: string): string | undefined {
  const relative = path.relative(root, absolute);
  if (path.isAbsolute(relative) || relative === '..' || relative.startsWith(`..${path.sep}`))
    return undefined;
  return relative.split(path.sep).join('/');
}

function withoutInner(hiddenPaths: ReadonlyMap<string, HiddenPath>): readonly HiddenPath[] {
  const sorted = [...hiddenPaths.values()].toSorted((left, right) =>
    left.relative < right.relative ? -1 : 1,
  );
  const isInner = ({ relative }: HiddenPath): boolean => {
    for (let at = relative.indexOf('/'); at >= 0; at = relative.indexOf('/', at + 1)) {
      if (hiddenPaths.get(relative.slice(0, at))?.isFolder === true) return true;
    }
    return false;
  };
  return sorted.filter((one) => !isInner(one));
}
