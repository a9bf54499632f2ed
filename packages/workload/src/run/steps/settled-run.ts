import type { RunConfig } from '@portolan/run-spec';
import type { MountPaths } from '../../supervisor/container/resolve-mounts.ts';

/** Everything that starting a workload needs, decided before any part of it exists. */
export interface SettledRun {
  /** Run config without secrets in clear text. */
  readonly config: RunConfig;
  /** Secrets that the run config refers to and that are not stored yet. */
  readonly secrets: readonly NamedSecret[];
  /** Digest or id that identifies exactly this image; empty for a remote server. */
  readonly imageDigest: string;
  /** Real paths of the mounts at the time of consent; left out for a remote server. */
  readonly mountPaths?: MountPaths;
  /** Whether the user requested no port for the proxy, so that any other free port may replace it. */
  readonly isAnyPort: boolean;
}

export interface NamedSecret {
  readonly name: string;
  readonly value: string;
}
