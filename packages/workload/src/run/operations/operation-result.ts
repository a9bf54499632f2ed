import type { PortolanError } from '@portolan/plugin-api';

export interface OperationResult {
  readonly name: string;
  readonly error: PortolanError | undefined;
  /** False when the workload already was in the desired state. */
  readonly changed: boolean;
  readonly notes: readonly string[];
}
