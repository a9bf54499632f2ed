/**
 * A denied call, for the operator of the workload. The caller gets only `id`, as `data.denialId`. An
 * authorizer writes denials as JSON lines into `denials.jsonl` in its workload's folder; the last 1,000
 * count. `portolan authz why` reads them.
 */
export interface Denial {
  readonly id: string;
  /** ISO 8601. */
  readonly at: string;
  readonly workload: string;
  readonly kind: string;
  /** Subject of the caller. Undefined for an unauthenticated request. */
  readonly caller?: string | undefined;
  /** Denied action, such as `tools/call of Tool::"refund"`. */
  readonly asked: string;
  readonly because: readonly string[];
  /** The policy that decided, or that came closest. */
  readonly policy?: { readonly place: string; readonly text: string } | undefined;
  /** Values on which the decision was based. Secret ones are masked, long ones truncated. */
  readonly saw: Readonly<Record<string, unknown>>;
}
