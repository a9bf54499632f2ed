/** Identifiers of the registries that a version passed through, the first one first. */
export type OriginPath = readonly string[];

/** Versions with longer paths are skipped. */
export const MAX_PATH_LENGTH = 16;

const MARK = /^[A-Za-z0-9._-]{1,100}$/;

/** Returns what is wrong with a path, as a sentence. Undefined for a valid path. */
export function findPathFault(path: unknown): string | undefined {
  if (!Array.isArray(path) || !path.every((mark) => typeof mark === 'string' && MARK.test(mark)))
    return 'What it says of the registries that it came through cannot be read.';
  return path.length > MAX_PATH_LENGTH
    ? `It came through ${path.length} registries; at most ${MAX_PATH_LENGTH} are followed.`
    : undefined;
}

/** Serializes a path. Null for a version published here. */
export function storedPath(path: OriginPath): string | null {
  return path.length === 0 ? null : path.join(',');
}

/** Returns the path for readers of this registry: the stored path followed by this registry's mark. */
export function pathOf(stored: string | null, own: string): OriginPath {
  return stored === null ? [own] : [...stored.split(','), own];
}
