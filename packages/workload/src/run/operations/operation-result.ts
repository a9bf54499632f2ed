import type { PortolanError } from '@portolan/plugin-api';

export interface OperationResult {
  readonly name: string;
  readonly error: PortolanError | undefined;
  /** Whether the operation changed the workload; false when it already was in the desired state. */
  readonly changed: boolean;
  readonly notes: readonly string[];
}
