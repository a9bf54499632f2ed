import type { Caller, EntryType, ResourceClaims, Role } from '@portolan/plugin-api';
import type { AccessPolicy, Because, GatedRegistry } from './access-policy.ts';
import type { RoleRules } from './granted-roles.ts';

/** Whose access is asked about, to what, and how much of the answer the asker may see. */
export interface AccessQuestion {
  readonly policy: AccessPolicy;
  /** `auth.authz.roles`; undefined without `auth.authz`. */
  readonly roleRules: RoleRules | undefined;
  /** With the roles as they are after the hook `resolveRoles`; undefined is nobody. */
  readonly caller: Caller | undefined;
  readonly registry?: (GatedRegistry & { readonly name: string }) | undefined;
  readonly entry?: EntryQuestion | undefined;
  /**
   * `everything`: for operators. `own`: for a caller who asks about themselves
   * and is told no more than other answers tell: entries hidden from them are
   * left out as if they were absent, and so are required values they do not hold,
   * and names of sources, unless they manage registries.
   */
  readonly reveal: 'everything' | 'own';
}

export interface EntryQuestion {
  readonly type: EntryType;
  readonly name: string;
  /** What the sources have under this name: those of the registry, in its order. */
  readonly sources: readonly { readonly source: string; readonly claims: ResourceClaims }[];
}

/** The answer: one document, ready to be written as JSON. */
export interface AccessExplanation {
  readonly mode: AccessPolicy['mode'];
  /** null: nobody. */
  readonly caller: ExplainedCaller | null;
  /** All four roles, held or not. */
  readonly roles: readonly ExplainedRole[];
  /** The gate; left out when no registry was asked about. */
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
  /** Position of the first rule that grants it, from 0; null when none does. */
  readonly grantedBy: number | null;
  /** Every rule of the role; for the caller themselves only the one that grants it. */
  readonly rules: readonly ExplainedRule[];
}

export interface ExplainedRule {
  /** Position in `auth.authz.roles.<role>`, from 0. */
  readonly rule: number;
  readonly matches: boolean;
  readonly keys: readonly ExplainedKey[];
}

export interface ExplainedKey {
  readonly key: string;
  /** null: withheld from whoever does not hold it. */
  readonly required: readonly string[] | null;
  /** null: the caller lacks the key. */
  readonly held: readonly string[] | null;
  readonly matches: boolean;
}

export interface ExplainedDecision {
  readonly allowed: boolean;
  readonly because: Because;
  readonly sentence: string;
  /** Empty where claims were not looked at, or there are none. */
  readonly keys: readonly ExplainedKey[];
}

export interface ExplainedEntry {
  readonly type: EntryType;
  readonly name: string;
  readonly shown: boolean;
  /** The source whose entry is shown; null when none is, or when it is not for the caller to know. */
  readonly shownFrom: string | null;
  readonly sentence: string;
  /** In the order of the registry, which is that of priority. */
  readonly sources: readonly (ExplainedDecision & {
    /** null: not for the caller to know. */
    readonly source: string | null;
  })[];
}
