import type { JsonObject } from '@portolan/plugin-api';
import type { RunConfig } from '@portolan/run-spec';
import type { MemberStates } from '../../state/member-state.ts';
import type { MountPaths } from '../../supervisor/container/resolve-mounts.ts';

/** Everything that starting a workload needs. */
export interface SettledRun {
  /** Run config without secrets in clear text. */
  readonly config: RunConfig;
  /** Secrets of the run that the secret store does not contain yet. */
  readonly secrets: readonly NamedSecret[];
  /** Digest or id of the image; empty for a remote server. */
  readonly imageDigest: string;
  /** Real paths of the mounts at the time of consent; left out for a remote server. */
  readonly mountPaths?: MountPaths;
  /** States of the members of a virtual server; left out for other workloads. */
  readonly states?: MemberStates;
  /** Registry entry that publishes definitions; left out for other workloads. */
  readonly entry?: JsonObject;
  /** Whether the run may choose another port for the proxy when its port is taken. */
  readonly isAnyPort: boolean;
}

export interface NamedSecret {
  readonly name: string;
  readonly value: string;
}
