import type { PortolanError } from '@portolan/plugin-api';

/** What became of one workload of an operation on several. */
export interface OperationResult {
  readonly name: string;
  /** Undefined: it was done, or nothing had to be done. */
  readonly error: PortolanError | undefined;
  /** False when it was so already. */
  readonly changed: boolean;
  /** A sentence for each thing that deserves a look. */
  readonly notes: readonly string[];
}
