import type { RunFlags } from './run-flags.ts';

/**
 * What the user asked for on the command line, typed; no argv in it. A field is
 * there only when its flag was given: that is what `--from-config` refuses, and
 * what ranks over registry, user settings and defaults.
 */
export interface RunRequest {
  readonly target: string | undefined;
  readonly fromConfig?: string;
  /** With it: the very image that is run, `NAME@sha256:…`, in place of what its name stands for here. */
  readonly fromDigest?: string;
  /** With it: Portolan wrote the file itself, from the state of a workload. */
  readonly fromState?: true;
  /** What stood behind `--`. */
  readonly args: readonly string[];
  readonly flags: RunFlags;
}
