import type { WorkloadStatus } from '../../../state/workload-state.ts';

/** Row of `portolan list`. Field names are those of the JSON output. */
export interface WorkloadListing {
  readonly name: string;
  /** Image, package, or URL of the remote server; empty when unknown. */
  readonly package: string;
  readonly status: WorkloadStatus;
  /** Reason for the status; may be empty. */
  readonly status_context: string;
  readonly url: string;
  readonly port: number;
  readonly transport: string;
  readonly transport_type: string;
  readonly proxy_mode: string;
  readonly group: string;
  readonly labels: Readonly<Record<string, string>>;
  /** Time of creation (RFC 3339); empty when unknown. */
  readonly created_at: string;
  readonly started_at: string;
  readonly remote: boolean;
  /** Number of members of a virtual server; undefined for other workloads. */
  readonly member_count: number | undefined;
}

export interface ListFilter {
  /** Whether to include stopped workloads, and containers of workloads without files. */
  readonly all?: boolean;
  readonly group?: string;
  readonly labels?: Readonly<Record<string, string>>;
}

export interface WorkloadList {
  readonly workloads: readonly WorkloadListing[];
  readonly notes: readonly string[];
}
