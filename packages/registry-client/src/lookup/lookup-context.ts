import type { Logger } from '@portolan/plugin-api';
import type { UserSettings } from '@portolan/run-spec';
import type { ConnectionContext } from '../connection/connection-context.ts';
import type { CatalogueCache } from './catalogue-cache.ts';

/** What looking something up in a registry takes from its surroundings. */
export interface LookupContext extends ConnectionContext {
  readonly clock: () => Date;
  readonly logger: Logger;
  /** They name the registry. */
  readonly user: UserSettings;
  /** Where a relative path begins. */
  readonly workingDirectory: string;
  /** What registries have said before. */
  readonly cache: CatalogueCache;
}
