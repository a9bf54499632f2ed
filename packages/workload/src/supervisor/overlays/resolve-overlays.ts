import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { ContainerMount } from '@portolan/plugin-api';
import { findHidden } from './find-hidden.ts';
import { IgnoreRules } from './ignore-rules.ts';
import { mountUnsearchable, tooManyOverlays } from './overlays-errors.ts';
import { findIgnoreFile, findLocalIgnoreFile, type IgnoreFile } from './read-ignore-file.ts';

export interface OverlayOptions {
  readonly loadGlobal: boolean;
  /** Paths of the user's global rules; the first existing file is used. */
  readonly ignoreFiles: readonly string[];
  readonly emptyFile: string;
  readonly signal?: AbortSignal | undefined;
  readonly limits?: OverlayLimits;
}

export interface OverlayLimits {
  /** Maximum number of files and folders to search in one mount. */
  readonly entries: number;
  readonly overlays: number;
}

export interface ResolvedOverlays {
  readonly mounts: readonly ContainerMount[];
  readonly resolved: readonly ResolvedOverlay[];
  readonly warnings: readonly string[];
}

export interface ResolvedOverlay {
  readonly containerPath: string;
  /**
   * Type of the mount that hides the path: `tmpfs` hides a folder, `file` hides a file. Both are empty and
   * read-only.
   */
  readonly kind: 'tmpfs' | 'file';
  readonly hostPath: string;
}

type BindMount = Extract<ContainerMount, { readonly type: 'bind' }>;

/** Limits that bound the search to a few seconds. */
const LIMITS: OverlayLimits = { entries: 250_000, overlays: 500 };

/** Minimum size of a tmpfs in bytes. It is read-only, so nothing fills it. */
const LEAST_BYTES = 4096;
const READ_AND_ENTER = 0o555;

/**
 * Returns the mounts that hide parts of `mounts`: those named by the user's global rules, and by
 * `.portolanignore` (or else `.thvignore`) in each mounted folder. Files created later stay visible, and
 * nothing is created in the user's folders. A single mounted file always stays visible.
 *
 * Throws ERR_IGNORE_FILE when a path cannot be checked, so that nothing becomes visible by mistake. Throws
 * the reason of the signal.
 */
export async function resolveOverlays(
  mounts: readonly ContainerMount[],
  options: OverlayOptions,
): Promise<ResolvedOverlays> {
  return await (await Overlays.read(mounts, options)).resolve(options.signal);
}

/**
 * Ignore rules of a workload's mounts. They are read only once, because a server with write access could
 * change the ignore file before its next container starts.
 */
export class Overlays {
  readonly #mounts: readonly ContainerMount[];
  readonly #options: OverlayOptions;
  readonly #global: IgnoreFile | undefined;
  readonly #rules: ReadonlyMap<ContainerMount, IgnoreRules>;

  private constructor(
    mounts: readonly ContainerMount[],
    options: OverlayOptions,
    global: IgnoreFile | undefined,
    rules: ReadonlyMap<ContainerMount, IgnoreRules>,
  ) {
    this.#mounts = mounts;
    this.#options = options;
    this.#global = global;
    this.#rules = rules;
  }

  /** Reads the rules. Throws as `resolveOverlays`. */
  static async read(mounts: readonly ContainerMount[], options: OverlayOptions): Promise<Overlays> {
    const global = options.loadGlobal ? await findIgnoreFile(options.ignoreFiles) : undefined;
    const rules = new Map<ContainerMount, IgnoreRules>();
    for (const mount of mounts) {
      if (mount.type !== 'bind') continue;
      const root = await realOf(mount.source);
      const local = root === undefined ? undefined : await findLocalIgnoreFile(root);
      const files = [global, local].filter((file) => file !== undefined);
      if (files.length > 0) rules.set(mount, await IgnoreRules.of(files));
    }
    return new Overlays(mounts, options, global, rules);
  }

  /** Applies the rules to the files that exist now. Throws as `resolveOverlays`. */
  async resolve(signal?: AbortSignal): Promise<ResolvedOverlays> {
    const { limits = LIMITS, emptyFile } = this.#options;
    const resolved: ResolvedOverlay[] = [];
    const warnings: string[] = [];
    for (const mount of this.#mounts) {
      signal?.throwIfAborted();
      const rules = this.#rules.get(mount);
      if (mount.type !== 'bind' || rules === undefined) continue;
      const match = await this.#find(mount, rules, signal);
      const isVisible = ({ containerPath }: ResolvedOverlay): boolean =>
        !isCovered(containerPath, mount, this.#mounts);
      resolved.push(...match.overlays.filter(isVisible));
      warnings.push(...match.warnings);
      if (resolved.length > limits.overlays) throw tooManyOverlays(limits.overlays);
    }
    return { mounts: resolved.map((overlay) => toMount(overlay, emptyFile)), resolved, warnings };
  }

  async #find(
    mount: BindMount,
    rules: IgnoreRules,
    signal: AbortSignal | undefined,
  ): Promise<{ readonly overlays: readonly ResolvedOverlay[]; readonly warnings: readonly string[] }> {
    const { limits = LIMITS } = this.#options;
    const root = await realOf(mount.source);
    if (root === undefined) return { overlays: [], warnings: warnOfFile(mount, rules, this.#global) };
    const { hidden, warnings } = await findHidden(root, rules, { limit: limits.entries, signal });
    return {
      overlays: hidden.map(({ relative, isFolder }) => ({
        containerPath: path.posix.join(mount.target, relative),
        kind: isFolder ? 'tmpfs' : 'file',
        hostPath: path.join(mount.source, relative),
      })),
      warnings: warnings.map((warning) => `${mount.source}: ${warning}.`),
    };
  }
}

/** Returns the real path of a folder; undefined when the path is not a folder. */
async function realOf(source: string): Promise<string | undefined> {
  try {
    return (await stat(source)).isDirectory() ? await realpath(source) : undefined;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw mountUnsearchable(source, code, error);
  }
}

function warnOfFile(
  { source }: BindMount,
  rules: IgnoreRules,
  global: IgnoreFile | undefined,
): readonly string[] {
  if (global === undefined || rules.verdictOf(path.basename(source)) === 'shown') return [];
  return [`${source} is mounted and visible, although ${global.file} hides files of that name in folders.`];
}

function isCovered(containerPath: string, own: BindMount, mounts: readonly ContainerMount[]): boolean {
  const depth = path.posix.normalize(own.target).length;
  return mounts.some((other) => {
    const target = path.posix.join(other.target, '.').replace(/\/$/, '');
    return other !== own && target.length > depth && `${containerPath}/`.startsWith(`${target}/`);
  });
}

function toMount({ containerPath, kind }: ResolvedOverlay, emptyFile: string): ContainerMount {
  return kind === 'file'
    ? { type: 'bind', source: emptyFile, target: containerPath, readOnly: true }
    : { type: 'tmpfs', target: containerPath, sizeBytes: LEAST_BYTES, mode: READ_AND_ENTER, readOnly: true };
}
