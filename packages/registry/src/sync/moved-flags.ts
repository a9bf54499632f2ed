import type { KnownVersion, KnownVersions } from './version-row.ts';

/** What is said of the versions of one entry: by version, whether it is the latest; null where nothing is said. */
export type FlagsSaid = ReadonlyMap<string, 0 | 1 | null>;

export interface MovedFlags {
  /** Ids by the flag that they get. */
  readonly moved: ReadonlyMap<0 | 1 | null, readonly number[]>;
  /** Entries of which a flag moved. */
  readonly entryIds: readonly number[];
  /** All that is known, with the flags as they will be. */
  readonly known: KnownVersions;
}

/**
 * Brings what another registry calls the latest up to date in what is stored. One
 * version of a name has the flag: where one gets it that is told of in a read of changes, others
 * lose it, though nobody told of them. A full read tells of each, some at a time.
 */
export function moveFlags(
  known: KnownVersions,
  said: ReadonlyMap<number, FlagsSaid>,
  read: 'changes' | 'in full',
): MovedFlags {
  const moved = new Map<0 | 1 | null, number[]>();
  const entryIds: number[] = [];
  const after = new Map(known);
  for (const [entryId, flags] of said) {
    const before = known.get(entryId);
    if (before === undefined) continue;
    const isTaken = read === 'changes' && [...flags.values()].includes(1);
    const versions = new Map<string, KnownVersion>();
    let isMoved = false;
    for (const [version, row] of before) {
      const kept = isTaken && row.flagged_latest === 1 ? 0 : row.flagged_latest;
      const told = flags.get(version);
      const flag = told === undefined ? kept : told;
      versions.set(version, flag === row.flagged_latest ? row : { ...row, flagged_latest: flag });
      if (flag === row.flagged_latest) continue;
      isMoved = true;
      moved.set(flag, [...(moved.get(flag) ?? []), row.id]);
    }
    if (!isMoved) continue;
    entryIds.push(entryId);
    after.set(entryId, versions);
  }
  return { moved, entryIds, known: after };
}
