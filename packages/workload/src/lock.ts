export { findLock, inspectLock } from './run/operations/lock/inspect-lock.ts';
export type { DetailedDifference, LockInspection } from './run/operations/lock/inspect-lock.ts';
export { inspectLocks, type InspectResult } from './run/operations/lock/inspect-locks.ts';
export { lockItemUnknown, notLocked } from './run/operations/lock/lock-errors.ts';
export { readRunning } from './run/operations/lock/read-running.ts';
export type { ReadOptions } from './run/operations/lock/read-stopped.ts';
export { approveInLock, revokeInLock } from './run/operations/lock/write-lock.ts';
