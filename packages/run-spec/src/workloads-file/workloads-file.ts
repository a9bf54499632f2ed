import type { RunFlags } from '../settings/run-flags.ts';

/**
 * Kinds of workloads in a workloads file: a server in a container or of the registry, a remote server, a virtual
 * server of a members file or of a group, and a complete run config.
 */
export const WORKLOAD_KINDS = ['run', 'url', 'members', 'member_group', 'config'] as const;
export type WorkloadKind = (typeof WORKLOAD_KINDS)[number];

/** Maximum number of workloads of one file. */
export const MAX_FILE_WORKLOADS = 500;

/** Content of a workloads file, with the defaults in each workload. */
export interface WorkloadsFile {
  /** Name of the file's workloads as a whole, by which a later `apply` recognizes what it created. */
  readonly name: string;
  /** Names of secrets that the secret store must have. */
  readonly secrets: readonly string[];
  /** Workloads in the order of the file. */
  readonly workloads: readonly FileWorkload[];
}

/** Settings of a workload in a workloads file. */
export interface FileWorkload {
  readonly name: string;
  readonly kind: WorkloadKind;
  /** Target of `run`; undefined for a virtual server and a run config. */
  readonly target: string | undefined;
  readonly args: readonly string[];
  /** Flags of `run` with the settings, without the name. */
  readonly flags: RunFlags;
  /** Run config of the kind `config`, as JSON text, or the path of its file. */
  readonly config: { readonly text: string } | { readonly file: string } | undefined;
}
