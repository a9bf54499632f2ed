import type { SourceKindDescription } from '@portolan/kernel';
import type { JsonObject } from '@portolan/plugin-api';
import type { SourceToStore, Unusable } from '@portolan/registry';

/** What the admin API needs of whoever makes sources and keeps them in step. */
export interface SourceMaking {
  /** The kinds that a source may be of. */
  kinds(): Promise<readonly SourceKindDescription[]>;
  /**
   * Checks a source as the body of a request defines it, by the rules of the
   * configuration file and of what the operator lets be reached. What cannot be
   * used has ERR_SOURCE_INVALID with every problem, and its claims where they can be read.
   */
  check(name: string, body: JsonObject): Promise<SourceToStore | Unusable<Pick<SourceToStore, 'claims'>>>;
  /** A source was made, changed or removed; this process need not wait to find out. */
  changed(): void;
  /** A source is to be read at once. */
  due(name: string): void;
}
