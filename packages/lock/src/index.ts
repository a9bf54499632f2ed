export { baselineOf, LISTS, takeBaseline } from './compare/baseline.ts';
export type {
  ApprovedServer,
  ApprovedValue,
  Baseline,
  CurrentDefinitions,
  CurrentServer,
  DefinitionFault,
} from './compare/baseline.ts';
export { takeEntryBaseline } from './compare/entry-baseline.ts';
export type { EntryBaseline } from './compare/entry-baseline.ts';
export { compareEntries, COMPARED_PARTS } from './compare/compare-entries.ts';
export type { ComparedPart, EntryComparison } from './compare/compare-entries.ts';
export { approveDefinitions, revokeItems } from './compare/approve-definitions.ts';
export type { ApprovalRequest } from './compare/approve-definitions.ts';
export { compareDefinitions, DefinitionComparer } from './compare/compare-definitions.ts';
export type { CompareOptions } from './compare/compare-definitions.ts';
export { valueAt, valuesOf } from './compare/difference-values.ts';
export type { DifferenceValues } from './compare/difference-values.ts';
export { CHANGE_CLASSES, LIST_KINDS, maxClass } from './compare/difference.ts';
export type { ChangeClass, Difference, DifferenceKind, FieldChange, ListKind } from './compare/difference.ts';
export { readItems } from './compare/read-items.ts';
export type { DefinitionList, NamedDefinition } from './compare/read-items.ts';
export {
  digestDefinition,
  digestDefinitionText,
  digestValue,
  FORMULA,
} from './digest/definition-digest.ts';
export type { DefinitionDigest } from './digest/definition-digest.ts';
export { LOCK_FILE_VERSION } from './file/lock-file.ts';
export type {
  Contents,
  LockedEntry,
  LockedItem,
  LockedServer,
  LockedWorkload,
  LockFile,
  Resolved,
  ResolvedImage,
  ResolvedPackage,
  Signer,
} from './file/lock-file.ts';
export { sourceOf } from './file/field-checks.ts';
export { formatLockFile } from './file/format-lock-file.ts';
export { readLockFile, writeLockFile } from './file/lock-file-store.ts';
export type { StoredLock } from './file/lock-file-store.ts';
export { parseLockFile } from './file/parse-lock-file.ts';
export { lockDefinitions } from './compare/lock-definitions.ts';
export type { Approval, LockedDefinitions, LockRequest, WorkloadFacts } from './compare/lock-definitions.ts';
export { describeDifference } from './compare/describe-difference.ts';
export { readServer } from './compare/read-server.ts';
export { respondFromBaseline } from './guard/respond-from-baseline.ts';
export { DriftGuard } from './guard/drift-guard.ts';
export { isHeldClass } from './guard/seen-drift.ts';
export type { GuardListener } from './guard/drift-guard.ts';
export type { DriftReaction, GuardBaseline } from './guard/guard-baseline.ts';
export { LIST_METHODS } from './compare/list-methods.ts';
export type { ListMethod } from './compare/list-methods.ts';
