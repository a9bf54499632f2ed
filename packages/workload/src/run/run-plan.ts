import type { Author, Grant, SettingOrigin } from '@portolan/run-spec';

/** What `run` would do; holds names of variables and secrets, never a value. */
export interface RunPlan {
  readonly name: string;
  readonly target: PlannedTarget;
  /** By the names of the run config. */
  readonly settings: readonly PlannedSetting[];
  /** Undefined for a remote server. */
  readonly image: PlannedImage | undefined;
  readonly remote_url: string | undefined;
  readonly mounts: readonly PlannedMount[];
  /** What ignore files hide in them, as it is now. */
  readonly hidden: readonly PlannedOverlay[];
  readonly networks: PlannedNetwork | undefined;
  /** Of a stdio server. */
  readonly sessions: PlannedSessions | undefined;
  /** What would stand between callers and the server, in words. */
  readonly protections: readonly string[];
  readonly environment: readonly PlannedVariable[];
  /** Variables, and places such as `$(api_key)` in arguments and the URL, that get the value of a secret. */
  readonly secrets: readonly PlannedSecret[];
  /** Headers for a remote server. */
  readonly headers: readonly PlannedHeader[];
  /** What has no value yet and would be asked for. */
  readonly missing: readonly string[];
  /** Against the workload of this name; undefined when there is none. */
  readonly changes: readonly PlannedChange[] | undefined;
  /** What the registry entry or the file opens. */
  readonly grants: readonly PlannedGrant[];
  readonly warnings: readonly string[];
}

/** A grant, who asks for it, and whether somebody allowed it already. */
export interface PlannedGrant extends Grant {
  readonly author: 'entry' | 'file';
  readonly accepted: boolean;
}

export interface PlannedTarget {
  readonly form: 'file' | 'url' | 'scheme' | 'registry' | 'image';
  readonly named: string;
  /** Which rule has decided. */
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
  /** Undefined while it would first have to be built under a tag that is not known yet. */
  readonly reference: string | undefined;
  readonly digest: string | undefined;
  readonly is: 'present' | 'to be pulled' | 'to be built' | 'unknown';
  readonly build: PlannedBuild | undefined;
}

export interface PlannedBuild {
  /** With its scheme and the version that would be built. */
  readonly package: string;
  readonly base_images: readonly string[];
  /** What it could reach. */
  readonly hosts: readonly string[];
  /** Whether the image is there already. */
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
  /** Where the workload may connect to; `*` for everywhere. */
  readonly allowed_hosts: readonly string[];
  readonly allowed_ports: readonly number[];
  readonly published: readonly string[];
}

export interface PlannedSessions {
  readonly most: number;
  /** A process for each of them, or one for all. */
  readonly processes: 'own' | 'shared';
  /** What they may use together at most; null where the runtime does not say what one process may. */
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
