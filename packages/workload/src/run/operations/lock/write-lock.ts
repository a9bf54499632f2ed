import os from 'node:os';
import path from 'node:path';
import {
  type Approval,
  approveDefinitions,
  type Difference,
  FORMULA,
  LOCK_FILE_VERSION,
  lockDefinitions,
  type LockedDefinitions,
  type LockedWorkload,
  readLockFile,
  revokeItems,
  type StoredLock,
  writeLockFile,
} from '@portolan/lock';
import { makeFolders } from '../../../state/make-folders.ts';
import { withFileLock } from '../../../state/user-config/change-file.ts';
import type { WorkloadContext } from '../../../workload-context.ts';
import { findLock, type LockInspection } from './inspect-lock.ts';
import { lockChanged, lockItemUnknown, notLocked, serverUnlockable } from './lock-errors.ts';

type FileContext = Pick<WorkloadContext, 'directories' | 'store' | 'clock'>;

/**
 * Writes the approved differences of a workload into its lock file. For a workload without a lock, writes everything.
 * Other changes of the file since the inspection stay. Returns whether the file changed. Throws ERR_LOCK_FILE,
 * ERR_WORKLOAD_CHANGED, ERR_DEFINITIONS_UNREADABLE, ERR_STATE_BUSY and ERR_STATE_INACCESSIBLE.
 */
export async function approveInLock(
  { name, file, previous: seen, facts, current, differences }: LockInspection,
  isApproved: (difference: Difference) => boolean,
  context: FileContext,
  signal: AbortSignal,
): Promise<boolean> {
  const approval = approvalOf(context);
  // Only what the user has seen is approved.
  const approved = new Set(differences.filter(isApproved).map(keyOf));
  return await changeLock(name, file, context, signal, (previous) => {
    if (previous === undefined && seen !== undefined) throw lockChanged(name, file);
    const request = { facts, current, approval };
    if (previous !== undefined) {
      const wasSeen = (one: Difference): boolean => approved.has(keyOf(one));
      return approveDefinitions({ ...request, previous, isApproved: wasSeen }).locked;
    }
    const { locked, faults } = lockDefinitions(request);
    if (locked === undefined) throw serverUnlockable(name, faults);
    return locked;
  });
}

/**
 * Revokes approvals of a workload: of the named items, or of all items. Returns whether the file changed. Throws
 * ERR_NOT_LOCKED and the errors of `approveInLock`.
 */
export async function revokeInLock(
  name: string,
  items: readonly string[] | undefined,
  context: FileContext,
  signal: AbortSignal,
): Promise<boolean> {
  const { file } = await findLock(name, context);
  return await changeLock(name, file, context, signal, (previous) => {
    if (previous === undefined) throw notLocked(name, file);
    const workload = revokeItems(previous.workload, items);
    if (workload === undefined) throw lockItemUnknown(name, findUnknown(previous.workload, items ?? []));
    return { workload, contents: previous.contents };
  });
}

/** Changes the part of a lock file about one workload, while no other command changes the file. */
async function changeLock(
  name: string,
  file: string,
  { directories }: FileContext,
  signal: AbortSignal,
  change: (previous: LockedDefinitions | undefined) => LockedDefinitions,
): Promise<boolean> {
  return await withFileLock(
    directories,
    file,
    async () => {
      const stored = await readLockFile(file);
      const contents = stored?.contents ?? new Map<string, string>();
      const workload = stored?.lock.workloads.get(name);
      const changed = change(workload === undefined ? undefined : { workload, contents });
      const folder = path.join(directories.policies, name);
      if (path.dirname(file) === folder) await makeFolders(folder, 0o700);
      return await writeLockFile(file, mergeInto(stored, name, changed));
    },
    signal,
  );
}

function mergeInto(stored: StoredLock | undefined, name: string, changed: LockedDefinitions): StoredLock {
  const workloads = new Map<string, LockedWorkload>(stored?.lock.workloads);
  workloads.set(name, changed.workload);
  return {
    lock: { version: LOCK_FILE_VERSION, formula: FORMULA, workloads },
    contents: new Map([...(stored?.contents ?? []), ...changed.contents]),
  };
}

function findUnknown({ tools, prompts, templates }: LockedWorkload, items: readonly string[]): string {
  return items.find((item) => ![tools, prompts, templates].some((list) => list.has(item))) ?? '';
}

function keyOf({ kind, name }: Difference): string {
  return `${kind} ${name}`;
}

/** Returns the approval of this user, today. Has no `by` if the operating system names no user. */
function approvalOf({ clock }: FileContext): Approval {
  const date = clock().toISOString().slice(0, 10);
  try {
    const by = os.userInfo().username;
    return /^[\w.@-]{1,64}$/.test(by) ? { date, by } : { date };
  } catch {
    return { date }; // A user id without a name, as in containers.
  }
}
