import type { Entry } from '../responses/entry.ts';
import type { View } from '../layout/view.ts';

export interface ShownEntry {
  readonly view: View;
  readonly registry: string;
  readonly entry: Entry;
  /** All versions, newest first. */
  readonly versions: readonly Entry[];
  readonly path: string;
  /** API path of the versions. */
  readonly apiPath: string;
}
