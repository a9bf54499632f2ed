import type { RunConfig } from '../run-config/run-config.ts';
import type { RunFlags } from './run-flags.ts';

/**
 * Request of a run. A field is present only if its flag was given, because given flags take precedence over
 * the registry, the user's settings and defaults, and `--from-config` rejects them.
 */
export interface RunRequest {
  readonly target: string | undefined;
  readonly fromConfig?: string;
  /** Text of the file of `fromConfig`, if the caller has read it. `fromConfig` is then its name in messages. */
  readonly fromText?: string;
  /** Name of the workloads file whose `portolan apply` creates the workload. */
  readonly appliedBy?: string;
  /**
   * With `--from-config`: the image to run as `NAME@sha256:…`, instead of resolving its name on this machine.
   */
  readonly fromDigest?: string;
  /** With `fromConfig`: settings of a stored workload. `fromConfig` is then their name in messages. */
  readonly fromState?: StoredSettings;
  /** Arguments after `--`. A virtual server, with `flags.members` or `flags.memberGroup`, has neither them nor a target. */
  readonly args: readonly string[];
  readonly flags: RunFlags;
}

/** Settings of a workload that a new version of the same workload replaces, as in `update` and `change`. */
export interface StoredSettings {
  readonly text: string;
  /**
   * Run config that the workload must still have, or the run is refused. Undefined accepts any run config.
   */
  readonly base?: RunConfig;
}
