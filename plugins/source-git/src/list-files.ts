import type { PortolanError } from '@portolan/plugin-api';
import { pathMissing, pathRefused, tooLarge } from './errors.ts';
import { isJsonBelow, type Selection } from './selection.ts';

interface TreeEntry {
  readonly mode: string;
  readonly object: string;
  readonly path: string;
}

export interface RepositoryFile {
  readonly path: string;
  readonly object: string;
}

export interface RepositoryFiles {
  /** `one`: a single file is the whole source. `many`: each file is read separately. */
  readonly kind: 'one' | 'many';
  /** Files in git's order of paths. */
  readonly files: readonly RepositoryFile[];
  /** Paths that are not read, such as links. */
  readonly refused: readonly { readonly path: string; readonly because: string }[];
}

/** Runs `ls-tree -z` with these arguments, and yields some lines at a time. */
export type ListTree = (words: readonly string[]) => AsyncIterable<readonly string[]>;

export interface Listing {
  readonly listTree: ListTree;
  readonly commit: string;
  readonly selection: Selection;
  /** Name of the commit in messages. */
  readonly shown: string;
  readonly maxFiles: number;
}

const LINK = '120000';
const REPOSITORY = '160000';
const FOLDER = '040000';

/**
 * Lists the files of the selection. Never follows links and submodules. Throws ERR_SOURCE_GIT_PATH,
 * ERR_SOURCE_GIT_REFERENCE and ERR_SOURCE_TOO_LARGE.
 */
export async function listFiles(listing: Listing): Promise<RepositoryFiles> {
  const { selection } = listing;
  if (selection.kind === 'pattern') return await many(listing, selection.base, selection.matches);
  const { path } = selection;
  if (path === '') return await many(listing, '', isJsonBelow(''));
  const entry = await find(listing, path);
  if (entry === undefined) throw await faultAt(listing, path);
  const refusal = refusalOf(entry);
  if (refusal !== undefined) throw pathRefused(path, refusal);
  if (entry.mode === FOLDER) return await many(listing, path, isJsonBelow(path));
  return { kind: 'one', files: [entry], refused: [] };
}

/** Lists several files up to a maximum, because a few objects that refer to each other can represent any number. */
async function many(
  { listTree, commit, maxFiles }: Listing,
  base: string,
  matches: (path: string) => boolean,
): Promise<RepositoryFiles> {
  const below = base === '' ? [] : [`${base}/`];
  const files: RepositoryFile[] = [];
  const refused: { readonly path: string; readonly because: string }[] = [];
  for await (const lines of listTree(['-r', '--full-tree', commit, '--', ...below])) {
    for (const entry of lines.flatMap((line) => readEntry(line) ?? [])) {
      const { path, object } = entry;
      if (!matches(path)) continue;
      const refusal = refusalOf(entry);
      if (refusal === undefined) files.push({ path, object });
      else refused.push({ path, because: `It is ${refusal}, which is not followed.` });
    }
    if (files.length + refused.length > maxFiles) throw tooLarge(`${maxFiles} objects that are to be read`);
  }
  return { kind: 'many', files, refused };
}

/** Returns the entry at exactly this path. */
async function find({ listTree, commit }: Listing, path: string): Promise<TreeEntry | undefined> {
  let treeEntry: TreeEntry | undefined;
  for await (const lines of listTree(['--full-tree', commit, '--', path]))
    treeEntry ??= lines.flatMap((line) => readEntry(line) ?? []).find((entry) => entry.path === path);
  return treeEntry;
}

function refusalOf({ mode }: TreeEntry): string | undefined {
  if (mode === LINK) return 'a symbolic link';
  return mode === REPOSITORY ? 'another repository' : undefined;
}

/** Returns the fault of a missing path, of which a part may be a file instead of a folder. */
async function faultAt(listing: Listing, path: string): Promise<PortolanError> {
  const parts = path.split('/');
  for (let count = 1; count < parts.length; count += 1) {
    const place = parts.slice(0, count).join('/');
    const entry = await find(listing, place);
    const refusal = entry === undefined ? undefined : refusalOf(entry);
    if (refusal !== undefined) return pathRefused(place, refusal);
  }
  return pathMissing(path, listing.shown);
}

function readEntry(line: string): TreeEntry | undefined {
  const [, mode, object, path] = /^(\d{6}) [a-z]+ ([0-9a-f]+)\t(.*)$/s.exec(line) ?? [];
  return mode === undefined || object === undefined || path === undefined
    ? undefined
    : { mode, object, path };
}
