import type { Entry } from '../answers/entry.ts';
import type { View } from '../layout/view.ts';

/** One entry, in one of its versions. */
export interface ShownEntry {
  readonly view: View;
  readonly registry: string;
  readonly entry: Entry;
  /** All of them, newest first. */
  readonly versions: readonly Entry[];
  /** Path of the page. */
  readonly path: string;
  /** Path of the versions in the API. */
  readonly apiPath: string;
}
