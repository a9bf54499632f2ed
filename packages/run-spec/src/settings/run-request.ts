import type { RunConfig } from '../run-config/run-config.ts';
import type { RunFlags } from './run-flags.ts';

/**
 * A field is present only when its flag was given: `--from-config` rejects such fields, and they take
 * precedence over registry, user settings and defaults.
 */
export interface RunRequest {
  readonly target: string | undefined;
  readonly fromConfig?: string;
  /**
   * With `--from-config`: the exact image to run, `NAME@sha256:…`, in place of what its name resolves to
   * here.
   */
  readonly fromDigest?: string;
  /** With `fromConfig`: settings of a stored workload; `fromConfig` is their name in messages. */
  readonly fromState?: StoredSettings;
  /** Arguments after `--`. */
  readonly args: readonly string[];
  readonly flags: RunFlags;
}

/** Settings of a workload that is replaced by a new version of itself, as in `update` and `change`. */
export interface StoredSettings {
  readonly text: string;
  /** The run is refused when the workload has another run config now. Undefined accepts any. */
  readonly base?: RunConfig;
}
