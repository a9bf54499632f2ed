import type { Author, Grant, SettingOrigin } from '@portolan/run-spec';
import type { PlannedConflict, PlannedList, PlannedName } from './plan/planned-members.ts';

/** Effects of a run, without values of variables and secrets. */
export interface RunPlan {
  readonly name: string;
  readonly target: PlannedTarget;
  /** Settings of the run, named as in the run config. */
  readonly settings: readonly PlannedSetting[];
  /** Image of the run; undefined for a remote server. */
  readonly image: PlannedImage | undefined;
  readonly remote_url: string | undefined;
  readonly mounts: readonly PlannedMount[];
  readonly hidden: readonly PlannedOverlay[];
  readonly networks: PlannedNetwork | undefined;
  /** Session limits of a stdio server; undefined for other servers. */
  readonly sessions: PlannedSessions | undefined;
  readonly protections: readonly string[];
  readonly environment: readonly PlannedVariable[];
  /** Variables and placeholders, such as `$(api_key)` in arguments, that get a secret. */
  readonly secrets: readonly PlannedSecret[];
  readonly headers: readonly PlannedHeader[];
  readonly missing: readonly string[];
  /** Differences from the existing workload of this name; undefined when there is no such workload. */
  readonly changes: readonly PlannedChange[] | undefined;
  /** Protections of the existing workload that the new settings lack. */
  readonly lost: readonly string[];
  readonly grants: readonly PlannedGrant[];
  readonly warnings: readonly string[];
  /** Names of tools in the registry entry; undefined without an entry, or if it lists none. */
  readonly entry_tools: readonly string[] | undefined;
  /** Members of a virtual server; undefined for other workloads. */
  readonly virtual_server: PlannedVirtualServer | undefined;
}

export interface PlannedGrant extends Grant {
  readonly author: 'entry' | 'file';
  readonly accepted: boolean;
}

export interface PlannedTarget {
  readonly form: 'file' | 'url' | 'scheme' | 'registry' | 'image' | 'members';
  readonly named: string;
  /** Explanation of why the target counts as a file, URL, package, registry entry or image. */
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
  /** Name of the image; undefined when the tag of an image to build is not known yet. */
  readonly reference: string | undefined;
  readonly digest: string | undefined;
  readonly is: 'present' | 'to be pulled' | 'to be built' | 'unknown';
  readonly build: PlannedBuild | undefined;
}

export interface PlannedBuild {
  readonly package: string;
  readonly base_images: readonly string[];
  readonly hosts: readonly string[];
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
  /** Hosts that the server may reach; `*` for all. */
  readonly allowed_hosts: readonly string[];
  readonly allowed_ports: readonly number[];
  readonly published: readonly string[];
}

export interface PlannedSessions {
  readonly most: number;
  /** `own`: each session has its own process. `shared`: all sessions share one process. */
  readonly processes: 'own' | 'shared';
  /** Maximum memory of all processes together in bytes; null when unknown. */
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

/** Members of a virtual server, and what clients would see of them. */
export interface PlannedVirtualServer {
  readonly members: readonly PlannedMember[];
  /** Names of tools that are known now, in the order of the list that clients get. */
  readonly names: readonly PlannedName[];
  readonly conflicts: readonly PlannedConflict[];
  readonly list: PlannedList;
}

export interface PlannedMember {
  readonly name: string;
  readonly kind: 'workload' | 'run' | 'url';
  /** Name of the workload, target of `run`, or URL. */
  readonly target: string;
  /** State of the target. */
  readonly resolved: string;
  /**
   * Source of the names of tools: the running workload, the last list that its supervisor recorded, the
   * registry entry, or the members file, which may name only some of them.
   */
  readonly tools_from: 'workload' | 'record' | 'entry' | 'file' | undefined;
  /** Number of known tools that clients see; undefined while the list is unknown. */
  readonly tools: number | undefined;
  /** Plan of the member's own server; undefined for a workload, and for a member of a run config. */
  readonly plan: RunPlan | undefined;
}
