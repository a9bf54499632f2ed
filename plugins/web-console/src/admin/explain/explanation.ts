import type { Role } from '@portolan/plugin-api';
import type { ModeResponse } from '../parts/api-responses.ts';

/** Response of `POST /v1/authz/explain`, as `/openapi.json` describes it. */
export interface Explanation extends ModeResponse {
  readonly caller: {
    readonly subject: string;
    readonly user?: string;
    readonly provider?: string;
    readonly roles: readonly Role[];
  } | null;
  readonly roles: readonly {
    readonly role: Role;
    readonly held: boolean;
    readonly sentence: string;
    readonly rules: readonly {
      readonly rule: number;
      readonly matches: boolean;
      readonly keys: readonly ExplainedKey[];
    }[];
  }[];
  /** Sentences about the limits of the explanation. */
  readonly notes?: readonly string[];
  readonly registry?: Decision & { readonly name: string };
  readonly entry?: {
    readonly type: string;
    readonly name: string;
    readonly shown: boolean;
    readonly sentence: string;
    readonly sources: readonly (Decision & { readonly source: string | null })[];
    readonly skipped?: readonly {
      readonly source: string;
      readonly skipped: string;
      readonly because: string;
    }[];
  };
}

export interface Decision {
  readonly allowed: boolean;
  readonly sentence: string;
  readonly keys: readonly ExplainedKey[];
}

export interface ExplainedKey {
  readonly key: string;
  readonly required: readonly string[] | null;
  readonly held: readonly string[] | null;
  readonly matches: boolean;
}
