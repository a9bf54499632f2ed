import type { RunConfig } from '@portolan/run-spec';
import type { MountPaths } from '../../supervisor/container/resolve-mounts.ts';

/** Everything that starting a workload needs. */
export interface SettledRun {
  /** Contains no secrets in clear text. */
  readonly config: RunConfig;
  /** Secrets that are not stored yet. */
  readonly secrets: readonly NamedSecret[];
  /** Identifies exactly this image; empty for a remote server. */
  readonly imageDigest: string;
  /** Real paths at the time of consent; left out for a remote server. */
  readonly mountPaths?: MountPaths;
  /** Whether any other free port may replace the proxy's port. */
  readonly isAnyPort: boolean;
}

export interface NamedSecret {
  readonly name: string;
  readonly value: string;
}
