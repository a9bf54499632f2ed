import type { Author, Grant, SettingOrigin } from '@portolan/run-spec';

/**
 * Description of what `run` would do. Contains names of variables and secrets, but never a value of theirs.
 */
export interface RunPlan {
  readonly name: string;
  readonly target: PlannedTarget;
  /** Settings under their names in the run config. */
  readonly settings: readonly PlannedSetting[];
  /** Undefined for a remote server. */
  readonly image: PlannedImage | undefined;
  readonly remote_url: string | undefined;
  readonly mounts: readonly PlannedMount[];
  /** Paths in the mounts that ignore files currently hide. */
  readonly hidden: readonly PlannedOverlay[];
  readonly networks: PlannedNetwork | undefined;
  /** Sessions of a stdio server. */
  readonly sessions: PlannedSessions | undefined;
  /** Protections between callers and the server, in words. */
  readonly protections: readonly string[];
  readonly environment: readonly PlannedVariable[];
  /**
   * Variables that get the value of a secret, and placeholders such as `$(api_key)` in arguments and the URL.
   */
  readonly secrets: readonly PlannedSecret[];
  /** Headers for requests to a remote server. */
  readonly headers: readonly PlannedHeader[];
  /** Inputs without a value, which a run would ask for. */
  readonly missing: readonly string[];
  /** Differences from the existing workload of this name; undefined when there is none. */
  readonly changes: readonly PlannedChange[] | undefined;
  /** Grants that the registry entry or the file needs. */
  readonly grants: readonly PlannedGrant[];
  readonly warnings: readonly string[];
}

/** Grant with its author and whether it is already accepted. */
export interface PlannedGrant extends Grant {
  readonly author: 'entry' | 'file';
  readonly accepted: boolean;
}

export interface PlannedTarget {
  readonly form: 'file' | 'url' | 'scheme' | 'registry' | 'image';
  readonly named: string;
  /** Rule that determined the target. */
  readonly because: string;
  readonly registry: string | undefined;
}

export interface PlannedSetting {
  readonly setting: string;
  readonly value: unknown;
  readonly from: SettingOrigin;
  readonly by: string;
  readonly author: Author;
}

export interface PlannedImage {
  /** Undefined when the tag of an image to build is not known yet. */
  readonly reference: string | undefined;
  readonly digest: string | undefined;
  readonly is: 'present' | 'to be pulled' | 'to be built' | 'unknown';
  readonly build: PlannedBuild | undefined;
}

export interface PlannedBuild {
  /** Package with its scheme and the version to build. */
  readonly package: string;
  readonly base_images: readonly string[];
  /** Hosts that the build could reach. */
  readonly hosts: readonly string[];
  /** Whether the image already exists. */
  readonly cached: boolean;
  readonly dockerfile: string;
}

export interface PlannedMount {
  readonly source: string;
  readonly target: string;
  readonly read_only: boolean;
  readonly author: Author;
}

export interface PlannedSecret {
  readonly variable: string;
  readonly secret: string;
  readonly author: Author;
}

export interface PlannedHeader {
  readonly name: string;
  readonly author: Author;
}

export interface PlannedOverlay {
  readonly path: string;
  readonly kind: 'file' | 'folder';
}

export interface PlannedNetwork {
  readonly mode: string;
  readonly isolated: boolean;
  /** Hosts that the workload may connect to; `*` for all. */
  readonly allowed_hosts: readonly string[];
  readonly allowed_ports: readonly number[];
  readonly published: readonly string[];
}

export interface PlannedSessions {
  readonly most: number;
  /** `own`: one process for each session; `shared`: one for all. */
  readonly processes: 'own' | 'shared';
  /** Maximum memory of all processes together in bytes; null when the runtime reports no limit. */
  readonly memory_bytes: number | null;
}

export interface PlannedVariable {
  readonly name: string;
  readonly from: SettingOrigin;
  readonly by: string;
  readonly author: Author;
}

export interface PlannedChange {
  readonly setting: string;
  readonly before: unknown;
  readonly after: unknown;
}
