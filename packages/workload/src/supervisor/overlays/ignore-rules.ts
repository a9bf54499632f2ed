import type { Ignore } from 'ignore';
import { ignorePatternUnusable } from './overlays-errors.ts';
import type { IgnoreFile } from './read-ignore-file.ts';

/** What a path is to the rules: `kept` means that a line that begins with `!` would show it, but others still hide it. */
export type Verdict = 'shown' | 'hidden' | 'kept';

/**
 * Says of paths whether rules hide them. The rules are those of .gitignore, at
 * any depth and without regard to case, and beside them those that other tools
 * read the same files by: each line is one path or pattern below the folder
 * itself, white space around it does not count, and nothing shows again what a
 * line hides.
 */
export class IgnoreRules {
  readonly #git: Ignore;
  readonly #plain: Ignore;
  /** How deep a plain pattern can reach. */
  readonly depth: number;
  /** Paths below the folder that lines name as they are; those that end in `/` name folders only. */
  readonly literals: readonly string[];

  private constructor(git: Ignore, plain: Ignore, patterns: readonly string[]) {
    this.#git = git;
    this.#plain = plain;
    this.literals = patterns;
    this.depth = Math.max(0, ...patterns.map((pattern) => pattern.split('/').filter(Boolean).length));
  }

  /** The rules of several files, later ones over earlier ones. Throws ERR_IGNORE_FILE. */
  static async of(files: readonly IgnoreFile[]): Promise<IgnoreRules> {
    // Loaded only where something is to be hidden.
    const { default: ignore } = await import('ignore');
    const git = ignore();
    const plain = ignore();
    for (const { file, lines } of files) {
      for (const { raw, text, number } of lines) {
        try {
          git.add({ pattern: raw });
          // With white space around it, a `!` shows nothing again.
          if (text !== raw && !text.startsWith('!')) git.add({ pattern: text });
          plain.add({ pattern: `/${text.replace(/^\/+/, '').replaceAll(/\*{2,}/g, '*')}` });
          git.ignores('a'); // an expression is made when it is first used
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

  /** A path relative to the folder, with `/` between its parts and behind that of a folder. */
  verdictOf(relative: string): Verdict {
    const { ignored, unignored } = this.#git.test(relative);
    if (ignored) return 'hidden';
    if (!this.isPlain(relative)) return 'shown';
    return unignored ? 'kept' : 'hidden';
  }

  /** Whether a line hides it by the plain rules. */
  isPlain(relative: string): boolean {
    return this.#plain.ignores(relative);
  }
}
