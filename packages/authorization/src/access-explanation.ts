import type { Caller, EntryType, ResourceClaims, Role } from '@portolan/plugin-api';
import type { AccessPolicy, Because, GatedRegistry } from './access-policy.ts';
import type { RoleRules } from './granted-roles.ts';

/**
 * Input of `explainAccess`: the caller, the registry and entry in question, and how much the explanation may
 * reveal.
 */
export interface AccessQuestion {
  readonly policy: AccessPolicy;
  /** Value of `auth.authz.roles`. Undefined when `auth.authz` is not configured. */
  readonly roleRules: RoleRules | undefined;
  /** Caller with the roles after the hook `resolveRoles`. */
  readonly caller: Caller | undefined;
  readonly registry?: (GatedRegistry & { readonly name: string }) | undefined;
  readonly entry?: EntryQuestion | undefined;
  /**
   * How much the explanation reveals.
   * - `everything`: for operators.
   * - `own`: for callers who ask about themselves. Omits entries hidden from them, claim values that they do
   *   not hold, and source names unless they manage registries.
   */
  readonly reveal: 'everything' | 'own';
}

export interface EntryQuestion {
  readonly type: EntryType;
  readonly name: string;
  /** Copies of the entry, in the registry's order of sources. */
  readonly sources: readonly { readonly source: string; readonly claims: ResourceClaims }[];
  /** Skips of sources whose status the caller may see. */
  readonly skipped?: readonly ExplainedSkip[];
}

export interface ExplainedSkip {
  readonly source: string;
  readonly skipped: string;
  readonly because: string;
}

/** Result of `explainAccess`, serializable as JSON. */
export interface AccessExplanation {
  readonly mode: AccessPolicy['mode'];
  /** Null for an unauthenticated request. */
  readonly caller: ExplainedCaller | null;
  readonly roles: readonly ExplainedRole[];
  /** Absent when the question names no registry. */
  readonly registry?: ExplainedDecision & { readonly name: string };
  readonly entry?: ExplainedEntry;
}

export interface ExplainedCaller {
  readonly subject: string;
  readonly user?: string;
  readonly provider?: string;
  readonly roles: readonly Role[];
}

export interface ExplainedRole {
  readonly role: Role;
  readonly held: boolean;
  readonly because:
    | 'rule'
    | 'auth-only'
    | 'anonymous'
    | 'hook'
    | 'removed-by-hook'
    | 'no-rule'
    | 'no-identity';
  readonly sentence: string;
  /** Index of the first rule that grants the role. Null when none does. */
  readonly grantedBy: number | null;
  /** Callers who ask about themselves see only the rule that grants the role. */
  readonly rules: readonly ExplainedRule[];
}

export interface ExplainedRule {
  /** Index in `auth.authz.roles.<role>`, from 0. */
  readonly rule: number;
  readonly matches: boolean;
  readonly keys: readonly ExplainedKey[];
}

export interface ExplainedKey {
  readonly key: string;
  /** Required values. Null when withheld because the caller does not hold them. */
  readonly required: readonly string[] | null;
  /** Values that the caller holds. Null when the caller's token lacks the claim. */
  readonly held: readonly string[] | null;
  readonly matches: boolean;
}

export interface ExplainedDecision {
  readonly allowed: boolean;
  readonly because: Because;
  readonly sentence: string;
  /** Empty when the policy compared no claims. */
  readonly keys: readonly ExplainedKey[];
}

export interface ExplainedEntry {
  readonly type: EntryType;
  readonly name: string;
  readonly shown: boolean;
  /** Source of the shown copy. Null when none is shown, or when the caller may not see source names. */
  readonly shownFrom: string | null;
  readonly sentence: string;
  /** Highest priority first. */
  readonly sources: readonly (ExplainedDecision & {
    /** Name of the source. Null when the caller may not see it. */
    readonly source: string | null;
  })[];
  /** Absent when the caller may not see the status of a source. */
  readonly skipped?: readonly ExplainedSkip[];
}
