import type { RunConfig } from '../run-config/run-config.ts';
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
  /** With it: the settings that Portolan made of a stored workload; `fromConfig` is their name in messages. */
  readonly fromState?: StoredSettings;
  /** What stood behind `--`. */
  readonly args: readonly string[];
  readonly flags: RunFlags;
}

/** Settings of a workload that is replaced by itself, as `update` and `change` do. */
export interface StoredSettings {
  /** The run config, as a document. */
  readonly text: string;
  /** The run config that they were made of: the run is refused if the workload has another one now. Left out, any. */
  readonly base?: RunConfig;
}
