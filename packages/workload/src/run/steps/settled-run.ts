import type { RunConfig } from '@portolan/run-spec';
import type { MountPaths } from '../../supervisor/container/resolve-mounts.ts';

/** Everything that a workload is started from, found out before anything of it exists. */
export interface SettledRun {
  /** No secret stands in it in clear. */
  readonly config: RunConfig;
  /** Secrets that the config refers to and that are not stored yet. */
  readonly secrets: readonly NamedSecret[];
  /** By which the very same image is found again; empty for a remote server. */
  readonly imageDigest: string;
  /** Real paths of the mounts, as they were accepted; left out for a remote server. */
  readonly mountPaths?: MountPaths;
  /** Whether nobody asked for the port of the proxy, so that another free port is as good. */
  readonly isAnyPort: boolean;
}

export interface NamedSecret {
  readonly name: string;
  readonly value: string;
}
