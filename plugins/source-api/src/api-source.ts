import type { SourceKind } from '@portolan/plugin-api';
import { apiConfig } from './api-config.ts';
import { checkApi } from './check-api.ts';
import { RegistrySource } from './registry-source.ts';

/** Source kind `api`: everything that another registry lists, with the claims of the source. */
export const apiSource: SourceKind<typeof apiConfig> = {
  kind: 'api',
  config: apiConfig,
  claimsFrom: 'source',
  reaches: ({ endpoint, auth }) => ({
    files: auth?.tokenFile === undefined ? [] : [auth.tokenFile],
    urls: [endpoint, ...(auth?.clientCredentials === undefined ? [] : [auth.clientCredentials.issuer])],
  }),
  check: checkApi,
  create: (config, context) => new RegistrySource(config, context),
};
