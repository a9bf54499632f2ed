import type { PortolanError } from '@portolan/plugin-api';
import { pathMissing, pathRefused } from './errors.ts';
import { isJsonBelow, type Selection } from './selection.ts';

/** Something that stands in a commit. */
interface TreeEntry {
  readonly mode: string;
  readonly object: string;
  readonly path: string;
}

/** A file that is read. */
export interface FoundFile {
  readonly path: string;
  readonly object: string;
}

export interface FoundFiles {
  /** One file, which is all of the source; or any number, of which each stands for itself. */
  readonly kind: 'one' | 'many';
  /** In the order of their paths, as git has it. */
  readonly files: readonly FoundFile[];
  /** What would be read if it were a file. */
  readonly refused: readonly { readonly path: string; readonly because: string }[];
}

/** Asks git for what stands in a commit: `ls-tree` with these words. */
export type ListTree = (words: readonly string[]) => Promise<Buffer>;

const LINK = '120000';
const REPOSITORY = '160000';
const FOLDER = '040000';

/**
 * Finds the files that `path` of the source stands for. Links and repositories in the repository are never followed.
 * Throws ERR_SOURCE_GIT_PATH and ERR_SOURCE_GIT_REFERENCE.
 */
export async function listFiles(
  listTree: ListTree,
  commit: string,
  selection: Selection,
  shown: string,
): Promise<FoundFiles> {
  const list = async (words: readonly string[]): Promise<readonly TreeEntry[]> =>
    readTree(await listTree(words));
  if (selection.kind === 'pattern') return many(list, commit, selection.base, selection.matches);
  const { path } = selection;
  if (path === '') return many(list, commit, '', isJsonBelow(''));
  const [entry] = await list(['-z', '--full-tree', commit, '--', path]);
  if (entry === undefined || entry.path !== path) throw await faultAt(list, commit, path, shown);
  const refusal = refusalOf(entry);
  if (refusal !== undefined) throw pathRefused(path, refusal);
  if (entry.mode === FOLDER) return many(list, commit, path, isJsonBelow(path));
  return { kind: 'one', files: [entry], refused: [] };
}

type List = (words: readonly string[]) => Promise<readonly TreeEntry[]>;

async function many(
  list: List,
  commit: string,
  base: string,
  matches: (path: string) => boolean,
): Promise<FoundFiles> {
  const below = base === '' ? [] : [`${base}/`];
  const entries = await list(['-r', '-z', '--full-tree', commit, '--', ...below]);
  const found = entries.filter(({ path }) => matches(path));
  return {
    kind: 'many',
    files: found.filter((entry) => refusalOf(entry) === undefined),
    refused: found.flatMap((entry) => {
      const refusal = refusalOf(entry);
      return refusal === undefined
        ? []
        : [{ path: entry.path, because: `It is ${refusal}, which is not followed.` }];
    }),
  };
}

function refusalOf({ mode }: TreeEntry): string | undefined {
  if (mode === LINK) return 'a symbolic link';
  return mode === REPOSITORY ? 'another repository' : undefined;
}

/** Why nothing stands at a path: something on the way to it may be no folder. */
async function faultAt(list: List, commit: string, path: string, shown: string): Promise<PortolanError> {
  const parts = path.split('/');
  for (let count = 1; count < parts.length; count += 1) {
    const place = parts.slice(0, count).join('/');
    const [entry] = await list(['-z', '--full-tree', commit, '--', place]);
    const refusal = entry?.path === place ? refusalOf(entry) : undefined;
    if (refusal !== undefined) return pathRefused(place, refusal);
  }
  return pathMissing(path, shown);
}

function readTree(text: Buffer): readonly TreeEntry[] {
  const entries: TreeEntry[] = [];
  for (const line of text.toString('utf8').split('\0')) {
    const [, mode, object, path] = /^(\d{6}) [a-z]+ ([0-9a-f]+)\t(.*)$/s.exec(line) ?? [];
    if (mode !== undefined && object !== undefined && path !== undefined)
      entries.push({ mode, object, path });
  }
  return entries;
}
