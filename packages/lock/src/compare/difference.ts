/** Classes of changes, from harmless to dangerous. */
export const CHANGE_CLASSES = ['none', 'note', 'held', 'refused'] as const;

/**
 * Class of a change:
 *
 * | class | means |
 * | --- | --- |
 * | `none` | the meaning is the same: order of a list whose order has no meaning |
 * | `note` | report it once |
 * | `held` | hide the item from clients until a user approves it |
 * | `refused` | do not start the workload |
 */
export type ChangeClass = (typeof CHANGE_CLASSES)[number];

/** Lists of a server whose items a lock file contains. */
export const LIST_KINDS = ['tool', 'prompt', 'template'] as const;
export type ListKind = (typeof LIST_KINDS)[number];

/** Subject of a difference. */
export type DifferenceKind =
  | ListKind
  | 'server'
  | 'instructions'
  | 'capabilities'
  | 'package'
  | 'image'
  | 'signer';

/** Changed field of a definition. */
export interface FieldChange {
  /** JSON pointer (RFC 6901) into the definition. Empty for the whole definition. */
  readonly pointer: string;
  readonly class: ChangeClass;
}

/** Difference between what was approved and what a server sends. */
export interface Difference {
  readonly kind: DifferenceKind;
  /** Name of the tool or prompt, or the URI template. Empty for other kinds and for items without a name. */
  readonly name: string;
  /** `unreadable` is a definition without a digest, or an item without a name. */
  readonly change: 'added' | 'removed' | 'changed' | 'unreadable';
  /** Highest class of the fields. */
  readonly class: ChangeClass;
  /** Changed fields, sorted by pointer. Empty for `added`, `removed` and `unreadable`. */
  readonly fields: readonly FieldChange[];
  /** Approved name that looks like the name of an added item. */
  readonly looksLike?: string;
  /** Why the item is unreadable, as a clause: "it has no name". */
  readonly fault?: string;
}

/** Returns the higher of two classes. */
export function maxClass(left: ChangeClass, right: ChangeClass): ChangeClass {
  return CHANGE_CLASSES.indexOf(left) < CHANGE_CLASSES.indexOf(right) ? right : left;
}
