import type { KnownVersion, KnownVersions } from './write/version-row.ts';

/** Whether another registry reports a version as the latest, by version; null when it reports nothing. */
export type ReportedFlags = ReadonlyMap<string, 0 | 1 | null>;

export interface MovedFlags {
  /** Ids of the changed versions, by their new flag. */
  readonly moved: ReadonlyMap<0 | 1 | null, readonly number[]>;
  readonly entryIds: readonly number[];
  readonly known: KnownVersions;
}

/**
 * Updates which stored versions another registry reports as the latest. In a read of changes, a version that
 * gains the flag takes it from others, which the changes do not mention. A full read reports every version,
 * in batches.
 */
export function moveFlags(
  known: KnownVersions,
  messages: ReadonlyMap<number, ReportedFlags>,
  read: 'changes' | 'in full',
): MovedFlags {
  const moved = new Map<0 | 1 | null, number[]>();
  const entryIds: number[] = [];
  const after = new Map(known);
  for (const [entryId, flags] of messages) {
    const before = known.get(entryId);
    if (before === undefined) continue;
    const isTaken = read === 'changes' && [...flags.values()].includes(1);
    const versions = new Map<string, KnownVersion>();
    let isMoved = false;
    for (const [version, row] of before) {
      const latestFlag = isTaken && row.flagged_latest === 1 ? 0 : row.flagged_latest;
      const report = flags.get(version);
      const flag = report === undefined ? latestFlag : report;
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
