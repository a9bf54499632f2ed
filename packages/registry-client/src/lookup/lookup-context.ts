import type { Logger } from '@portolan/plugin-api';
import type { UserSettings } from '@portolan/run-spec';
import type { ConnectionContext } from '../connection/connection-context.ts';
import type { RegistryAccess } from '../connection/registry-access.ts';
import type { CatalogueCache } from './catalogue-cache.ts';

export interface LookupContext extends ConnectionContext {
  readonly clock: () => Date;
  readonly logger: Logger;
  readonly user: UserSettings;
  readonly workingDirectory: string;
  readonly cache: CatalogueCache;
  /** Returns the valid login for a registry, if any. Absent when logins are unsupported. */
  readonly findLogin?: (registry: URL) => Promise<RegistryAccess | undefined>;
}
