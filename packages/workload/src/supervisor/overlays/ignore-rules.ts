import type { Ignore } from 'ignore';
import { ignorePatternUnusable } from './overlays-errors.ts';
import type { IgnoreFile } from './read-ignore-file.ts';

/**
 * Result of the ignore rules for a path. `kept` means that a `!` line would make the path visible, but
 * another line still hides it.
 */
export type Verdict = 'shown' | 'hidden' | 'kept';

/**
 * Ignore rules of a mounted folder. Each line is read in two ways, and a path is hidden if either way hides
 * it. The first way is that of `.gitignore`, at any depth and case-insensitive. The second way is that of
 * tools that treat each trimmed line as a path or pattern below the folder, without `!`.
 */
export class IgnoreRules {
  readonly #git: Ignore;
  readonly #plain: Ignore;
  /** Maximum depth of a path that a line matches when it is read as a plain path or pattern. */
  readonly depth: number;
  /** Paths that lines name literally, relative to the folder; a trailing `/` matches folders only. */
  readonly literals: readonly string[];

  private constructor(git: Ignore, plain: Ignore, patterns: readonly string[]) {
    this.#git = git;
    this.#plain = plain;
    this.literals = patterns;
    this.depth = Math.max(0, ...patterns.map((pattern) => pattern.split('/').filter(Boolean).length));
  }

  /** Compiles the rules of several files; later files override earlier ones. Throws ERR_IGNORE_FILE. */
  static async of(files: readonly IgnoreFile[]): Promise<IgnoreRules> {
    // Loaded on demand: most workloads hide nothing.
    const { default: ignore } = await import('ignore');
    const git = ignore();
    const plain = ignore();
    for (const { file, lines } of files) {
      for (const { raw, text, number } of lines) {
        try {
          git.add({ pattern: raw });
          // Ignore the white space around a line. An exception is an indented `!`, which must not make a path
          // visible.
          if (text !== raw && !text.startsWith('!')) git.add({ pattern: text });
          plain.add({ pattern: `/${text.replace(/^\/+/, '').replaceAll(/\*{2,}/g, '*')}` });
          git.ignores('a'); // compile now, so that an invalid pattern throws here
          plain.ignores('a');
        } catch (error) {
          throw ignorePatternUnusable(file, number, error instanceof Error ? error.message : String(error));
        }
      }
    }
    return new IgnoreRules(
      git,
      plain,
      files.flatMap(({ lines }) => lines.map(({ text }) => text)),
    );
  }

  /** Returns the verdict for a relative path, with `/` as separator and at the end of folders. */
  verdictOf(relative: string): Verdict {
    const { ignored, unignored } = this.#git.test(relative);
    if (ignored) return 'hidden';
    if (!this.isPlain(relative)) return 'shown';
    return unignored ? 'kept' : 'hidden';
  }

  isPlain(relative: string): boolean {
    return this.#plain.ignores(relative);
  }
}
