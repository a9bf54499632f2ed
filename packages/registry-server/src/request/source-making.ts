import type { SourceKindDescription } from '@portolan/kernel';
import type { JsonObject } from '@portolan/plugin-api';
import type { SourceToStore, Unusable } from '@portolan/registry';

/** What the admin API needs to create and update sources. */
export interface SourceMaking {
  /** Returns the available kinds of sources. */
  kinds(): Promise<readonly SourceKindDescription[]>;
  /**
   * Validates a source definition from a request by the rules of the configuration file and the operator's
   * network restrictions. Returns ERR_SOURCE_INVALID with every problem for an invalid one, together with the
   * claims if they could be parsed.
   */
  check(name: string, body: JsonObject): Promise<SourceToStore | Unusable<Pick<SourceToStore, 'claims'>>>;
  /** Reports that a source was created, changed or removed, so that this process reacts at once. */
  changed(): void;
  /** Requests an immediate sync of a source. */
  due(name: string): void;
}
