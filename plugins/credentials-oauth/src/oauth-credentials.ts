import type { ConfigBlock, OutgoingCredentialsKind } from '@portolan/plugin-api';
import { openCredentials } from './open-credentials.ts';

const oauthConfig = {
  type: 'object',
  description:
    'Credentials of the login that `portolan run` and `portolan login` perform. Has no settings of its own.',
  properties: {},
} as const satisfies ConfigBlock;

/**
 * Outgoing credentials kind `oauth`: sends an access token, and renews it before it expires, once for
 * concurrent requests.
 */
export const oauthCredentials: OutgoingCredentialsKind<typeof oauthConfig> = {
  kind: 'oauth',
  config: oauthConfig,
  create: (_config, context) => openCredentials(context),
};
