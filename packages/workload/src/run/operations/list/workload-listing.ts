import type { WorkloadStatus } from '../../../state/workload-state.ts';

/** Workload in the form that `list` shows; the field names are those of its JSON output. */
export interface WorkloadListing {
  readonly name: string;
  /** Image, package, or URL of the remote server; empty when unknown. */
  readonly package: string;
  readonly status: WorkloadStatus;
  /** Reason for the status, for people; empty without one. */
  readonly status_context: string;
  readonly url: string;
  readonly port: number;
  readonly transport: string;
  readonly transport_type: string;
  readonly proxy_mode: string;
  readonly group: string;
  readonly labels: Readonly<Record<string, string>>;
  /** RFC 3339 time; empty when unknown. */
  readonly created_at: string;
  readonly started_at: string;
  readonly remote: boolean;
}

export interface ListFilter {
  /** Includes stopped workloads, and Portolan's containers without a state. */
  readonly all?: boolean;
  readonly group?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

export interface WorkloadList {
  /** Workloads in order of their names. */
  readonly workloads: readonly WorkloadListing[];
  /** Sentences about information that could not be determined. */
  readonly notes: readonly string[];
}
