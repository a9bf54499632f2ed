import { realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import type { ContainerMount } from '@portolan/plugin-api';
import { findHidden } from './find-hidden.ts';
import { IgnoreRules } from './ignore-rules.ts';
import { mountUnsearchable, tooManyOverlays } from './overlays-errors.ts';
import { findIgnoreFile, findLocalIgnoreFile, type IgnoreFile } from './read-ignore-file.ts';

export interface OverlayOptions {
  /** Whether the rules of the user count for every mount. */
  readonly loadGlobal: boolean;
  /** Where the rules of the user may stand, best first; see `Directories`. */
  readonly ignoreFiles: readonly string[];
  /** See `provideEmptyFile`. */
  readonly emptyFile: string;
  readonly signal?: AbortSignal | undefined;
  /** For tests. */
  readonly limits?: OverlayLimits;
}

export interface OverlayLimits {
  /** Files and folders that one mount is searched for. */
  readonly entries: number;
  readonly overlays: number;
}

export interface ResolvedOverlays {
  /** To be added behind the mounts that they hide something of. */
  readonly mounts: readonly ContainerMount[];
  /** What `--print-resolved-overlays` shows, in the order of the mounts. */
  readonly resolved: readonly ResolvedOverlay[];
  /** Sentences about what is strange, but no fault. */
  readonly warnings: readonly string[];
}

export interface ResolvedOverlay {
  readonly containerPath: string;
  /** `tmpfs`: an empty folder; `file`: an empty file. Nothing can be written to either. */
  readonly kind: 'tmpfs' | 'file';
  readonly hostPath: string;
}

type BindMount = Extract<ContainerMount, { readonly type: 'bind' }>;

/** Each entry costs microseconds; so many take a few seconds. */
const LIMITS: OverlayLimits = { entries: 250_000, overlays: 500 };

/** Enough for none at all: the least a tmpfs can have. */
const LEAST_BYTES = 4096;
const READ_AND_ENTER = 0o555;

/**
 * What has to be mounted over parts of these mounts so that the container does
 * not see what ignore rules hide: those of the user, and `.portolanignore` (or
 * `.thvignore` where there is none) in each folder that is mounted (run-formats,
 * section 10). It is found once; what matches a rule and is made later is
 * visible. Only what is there is mounted over, so that nothing is made in the
 * user's folders. What another mount lies over is left to that one. A single
 * file that is mounted was meant, and stays visible.
 *
 * Throws ERR_IGNORE_FILE: nothing is shown because it could
 * not be looked at. Throws the reason of the signal.
 */
export async function resolveOverlays(
  mounts: readonly ContainerMount[],
  options: OverlayOptions,
): Promise<ResolvedOverlays> {
  return await (await Overlays.read(mounts, options)).resolve(options.signal);
}

/**
 * Ignore rules that are read once, and what they hide each time that it is
 * asked for: a server that may write to a folder can move what is in it, and
 * take the rules away, before its next container is made.
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

  /** Throws as `resolveOverlays`. */
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

  /** What is to be mounted over the mounts as they are now. Throws as `resolveOverlays`. */
  async resolve(signal?: AbortSignal): Promise<ResolvedOverlays> {
    const { limits = LIMITS, emptyFile } = this.#options;
    const resolved: ResolvedOverlay[] = [];
    const warnings: string[] = [];
    for (const mount of this.#mounts) {
      signal?.throwIfAborted();
      const rules = this.#rules.get(mount);
      if (mount.type !== 'bind' || rules === undefined) continue;
      const found = await this.#find(mount, rules, signal);
      const isVisible = ({ containerPath }: ResolvedOverlay): boolean =>
        !isCovered(containerPath, mount, this.#mounts);
      resolved.push(...found.overlays.filter(isVisible));
      warnings.push(...found.warnings);
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

/** The folder without links in its path; undefined for what is no folder. */
async function realOf(source: string): Promise<string | undefined> {
  try {
    return (await stat(source)).isDirectory() ? await realpath(source) : undefined;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw mountUnsearchable(source, code, error);
  }
}

/** For a file that is mounted alone, only the rules of the user speak. */
function warnOfFile(
  { source }: BindMount,
  rules: IgnoreRules,
  global: IgnoreFile | undefined,
): readonly string[] {
  if (global === undefined || rules.verdictOf(path.basename(source)) === 'shown') return [];
  return [`${source} is mounted and visible, although ${global.file} hides files of that name in folders.`];
}

/** Whether another mount, and not this one, is what is seen at a path of the container. */
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
