import type { Logger } from '@portolan/plugin-api';
import type { UserSettings } from '@portolan/run-spec';
import type { ConnectionContext } from '../connection/connection-context.ts';
import type { RegistryAccess } from '../connection/registry-access.ts';
import type { CatalogueCache } from './catalogue-cache.ts';

/** Dependencies of registry lookups. */
export interface LookupContext extends ConnectionContext {
  readonly clock: () => Date;
  readonly logger: Logger;
  /** Settings that name the registry. */
  readonly user: UserSettings;
  /** Base of relative paths. */
  readonly workingDirectory: string;
  /** Cache of registry responses. */
  readonly cache: CatalogueCache;
  /** Returns the valid login for a registry; undefined without one. Absent when logins are unsupported. */
  readonly findLogin?: (registry: URL) => Promise<RegistryAccess | undefined>;
}
