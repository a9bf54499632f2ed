/**
 * What was denied to a caller, and why: for whoever runs the workload, never for
 * the caller, who is told `id` alone, as `data.denialId` of the refusal. An
 * authorizer writes them as lines of JSON into `denials.jsonl` in the folder of
 * its workload, of which the last 1,000 count; `portolan authz why` reads them.
 */
export interface Denial {
  readonly id: string;
  /** ISO 8601. */
  readonly at: string;
  readonly workload: string;
  /** Kind of the authorizer. */
  readonly kind: string;
  /** Subject of the caller; undefined where nobody had said who asks. */
  readonly caller?: string | undefined;
  /** What was asked: `tools/call of Tool::"refund"`. */
  readonly asked: string;
  /** In sentences. */
  readonly because: readonly string[];
  /** The policy that decided, or came closest. */
  readonly policy?: { readonly place: string; readonly text: string } | undefined;
  /** Values that were looked at, secret ones masked, and cut to what audit keeps. */
  readonly saw: Readonly<Record<string, unknown>>;
}
