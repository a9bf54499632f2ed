import type { SourceKindDescription } from '@portolan/kernel';
import type { JsonObject } from '@portolan/plugin-api';
import type { SourceToStore, Unusable } from '@portolan/registry';

export interface SourceMaking {
  kinds(): Promise<readonly SourceKindDescription[]>;
  /**
   * Validates a source definition by the rules of the configuration file and the operator's network
   * restrictions. Returns ERR_SOURCE_INVALID with every problem, and the claims if they could be parsed.
   */
  check(name: string, body: JsonObject): Promise<SourceToStore | Unusable<Pick<SourceToStore, 'claims'>>>;
  /** Makes this process react at once to a changed source. */
  changed(): void;
  /** Requests an immediate sync of a source. */
  due(name: string): void;
}
