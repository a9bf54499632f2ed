import type { PortolanError } from '@portolan/plugin-api';

/** Result for one workload of an operation on several. */
export interface OperationResult {
  readonly name: string;
  /** Undefined on success, or when there was nothing to do. */
  readonly error: PortolanError | undefined;
  /** False when the workload already was in the desired state. */
  readonly changed: boolean;
  /** Sentences about things that need the user's attention. */
  readonly notes: readonly string[];
}
