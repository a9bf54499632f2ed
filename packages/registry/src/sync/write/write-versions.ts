import type { Kysely } from 'kysely';
import type { PreparedVersion } from '../../preparation/prepared-version.ts';
import type { Database } from '../../store/database-schema.ts';
import { VersionRemoval, type Removal } from './remove-versions.ts';
import type { ScopesSeen } from '../scopes-seen.ts';
import { SourceWriter } from './source-writer.ts';
import type { SpoolStep } from './spool.ts';
import type { WriteTarget } from './write-target.ts';
import { keyOf } from './source-entries.ts';

export interface VersionChanges {
  readonly added: number;
  readonly changed: number;
  readonly removed: number;
}

export interface WriteResult {
  readonly changed: boolean;
  readonly changes: VersionChanges;
  /** Number of new entries, and of entries that lost their last version. */
  readonly entries: { readonly made: number; readonly lost: number };
  /** Versions that the source reported twice, as `name@version`. */
  readonly duplicates: readonly string[];
}

function resultOf(
  { changed, counts }: SourceWriter,
  removal: VersionRemoval,
): Omit<WriteResult, 'duplicates'> {
  return {
    changed: changed || removal.changed,
    changes: { added: counts.added, changed: counts.changed, removed: removal.counts.versions },
    entries: { made: counts.entriesMade, lost: removal.counts.entries },
  };
}

/**
 * Writes new and changed versions, and removes those that the source did not report. With `scopes`, removes
 * only versions of parts that were read completely or no longer exist. Run it inside a transaction.
 */
export async function writeVersions(
  db: Kysely<Database>,
  target: WriteTarget,
  batches: AsyncIterable<readonly PreparedVersion[]>,
  scopes?: ScopesSeen,
): Promise<WriteResult> {
  const writer = new SourceWriter(db, target, 'the first one counts');
  const removal = new VersionRemoval(db, target);
  for await (const batch of batches) await writer.write(batch);
  await removal.unseen(writer.seen, scopes);
  return { ...resultOf(writer, removal), duplicates: writer.duplicates };
}

/**
 * Applies changes in order. Other versions stay, except those that `scopes` says are gone. Run it inside a
 * transaction. Throws NameInOtherCase.
 */
export async function writeChanges(
  db: Kysely<Database>,
  target: WriteTarget,
  batches: AsyncIterable<readonly SpoolStep[]>,
  scopes?: ScopesSeen,
): Promise<WriteResult> {
  const writer = new SourceWriter(db, target, 'the last one counts');
  const removal = new VersionRemoval(db, target);
  for await (const batch of batches) {
    for (const run of runsOf(batch)) {
      if (run.removals.length > 0) await removal.named(run.removals);
      if (run.versions.length > 0) await writer.write(run.versions);
    }
  }
  if (scopes !== undefined) await removal.unseen(writer.seen, scopes);
  return { ...resultOf(writer, removal), duplicates: [] };
}

/** Group of steps that can be written together. */
interface Run {
  readonly removals: Removal[];
  /** Versions without duplicates. They are written after the removals. */
  readonly versions: PreparedVersion[];
}

/** Groups steps into as few runs as possible without changing the result of executing them in order. */
function runsOf(steps: readonly SpoolStep[]): readonly Run[] {
  const runs: Run[] = [];
  let run: Run = { removals: [], versions: [] };
  let seen = new Set<string>();
  const next = (): void => {
    runs.push(run);
    run = { removals: [], versions: [] };
    seen = new Set();
  };
  for (const step of steps) {
    if ('removal' in step) {
      if (run.versions.length > 0) next();
      run.removals.push(step.removal);
      continue;
    }
    const key = `${keyOf(step.version)} ${step.version.version}`;
    if (seen.has(key)) next();
    seen.add(key);
    run.versions.push(step.version);
  }
  next();
  return runs;
}
