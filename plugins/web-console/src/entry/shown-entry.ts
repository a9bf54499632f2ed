import type { Entry } from '../answers/entry.ts';
import type { View } from '../layout/view.ts';

/** Entry in one of its versions, with everything that its page shows. */
export interface ShownEntry {
  readonly view: View;
  readonly registry: string;
  readonly entry: Entry;
  /** All versions, newest first. */
  readonly versions: readonly Entry[];
  readonly path: string;
  /** Path of the versions in the API. */
  readonly apiPath: string;
}
