import type { WorkloadStatus } from '../../../state/workload-state.ts';

/** A workload as `list` shows it; the names are those of its JSON. */
export interface WorkloadListing {
  readonly name: string;
  /** Image, package, or URL of the remote server; empty when nothing is known. */
  readonly package: string;
  readonly status: WorkloadStatus;
  /** Why, for people; empty when there is nothing to say. */
  readonly status_context: string;
  readonly url: string;
  readonly port: number;
  readonly transport: string;
  /** Equal to `transport`. */
  readonly transport_type: string;
  readonly proxy_mode: string;
  readonly group: string;
  readonly labels: Readonly<Record<string, string>>;
  /** RFC 3339; empty when it is not known. */
  readonly created_at: string;
  readonly started_at: string;
  readonly remote: boolean;
}

export interface ListFilter {
  /** Also stopped workloads, and containers of ours that no state knows. */
  readonly all?: boolean;
  readonly group?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

export interface WorkloadList {
  /** By name. */
  readonly workloads: readonly WorkloadListing[];
  /** A sentence for each thing that could not be found out. */
  readonly notes: readonly string[];
}
