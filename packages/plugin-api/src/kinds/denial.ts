/**
 * A denied call and its reasons, for the operator of the workload. The caller gets only `id`, as
 * `data.denialId`. An authorizer writes denials as JSON lines into `denials.jsonl` in its workload's folder;
 * the last 1,000 count. `portolan authz why` reads them.
 */
export interface Denial {
  readonly id: string;
  /** ISO 8601. */
  readonly at: string;
  readonly workload: string;
  /** Kind of the authorizer. */
  readonly kind: string;
  /** Subject of the caller. Undefined for an unauthenticated request. */
  readonly caller?: string | undefined;
  /** Denied action, such as `tools/call of Tool::"refund"`. */
  readonly asked: string;
  /** Reasons, as sentences. */
  readonly because: readonly string[];
  /** The policy that decided, or that came closest. */
  readonly policy?: { readonly place: string; readonly text: string } | undefined;
  /** Values that the decision read. Secret ones are masked, and long ones truncated like in the audit log. */
  readonly saw: Readonly<Record<string, unknown>>;
}
