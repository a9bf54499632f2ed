import type { Logger } from '@portolan/plugin-api';
import type { UserSettings } from '@portolan/run-spec';
import type { ConnectionContext } from '../connection/connection-context.ts';
import type { RegistryAccess } from '../connection/registry-access.ts';
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
  /** The login that is good for a registry; undefined where nobody has logged in to it. Left out: nobody can. */
  readonly findLogin?: (registry: URL) => Promise<RegistryAccess | undefined>;
}
