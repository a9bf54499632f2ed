import type { ConfigBlock, OutgoingCredentialsKind } from '@portolan/plugin-api';
import { openCredentials } from './open-credentials.ts';

const oauthConfig = {
  type: 'object',
  description: 'The login that `portolan run` and `portolan login` make. Has no settings of its own.',
  properties: {},
} as const satisfies ConfigBlock;

/** The OAuth login of a workload: its access token, renewed before it expires, once for all requests. */
export const oauthCredentials: OutgoingCredentialsKind<typeof oauthConfig> = {
  kind: 'oauth',
  config: oauthConfig,
  create: (_config, context) => openCredentials(context),
};
