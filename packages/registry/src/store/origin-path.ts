/** Marks of registries that a version came through, the one that made it first. */
export type OriginPath = readonly string[];

/** Most registries one after the other; a version that came through more is not taken. */
export const MAX_PATH_LENGTH = 16;

const MARK = /^[A-Za-z0-9._-]{1,100}$/;

/** Why a path that a source reports cannot be kept, as a sentence; undefined when it can. */
export function findPathFault(path: unknown): string | undefined {
  if (!Array.isArray(path) || !path.every((mark) => typeof mark === 'string' && MARK.test(mark)))
    return 'What it says of the registries that it came through cannot be read.';
  return path.length > MAX_PATH_LENGTH
    ? `It came through ${path.length} registries; at most ${MAX_PATH_LENGTH} are followed.`
    : undefined;
}

/** A path as it is stored; null where the version was made here. */
export function storedPath(path: OriginPath): string | null {
  return path.length === 0 ? null : path.join(',');
}

/** The path that readers of this registry are told: what is stored, and this registry's own mark behind it. */
export function pathOf(stored: string | null, own: string): OriginPath {
  return stored === null ? [own] : [...stored.split(','), own];
}
