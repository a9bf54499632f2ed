import type { AuthProviderKind } from '@portolan/plugin-api';
import { checkSettings } from './config/check-settings.ts';
import { oauthConfig } from './config/oauth-config.ts';

/**
 * Auth provider kind `oauth`: a request goes on when its bearer token is one
 * that a configured provider accepts. Everything else is 401 with a challenge,
 * and 503 when nobody can say, since the provider cannot be reached.
 */
export const oauthAuth: AuthProviderKind<typeof oauthConfig> = {
  kind: 'oauth',
  config: oauthConfig,
  hosts: ['registry-server', 'workload'],
  identifies: true,
  logsIn: ({ providers = [] }) => providers.some(({ login }) => login?.clientId !== undefined),
  check: checkSettings,
  checkOnline: async (config, context, signal) => {
    const { checkOnline } = await import('./check-online.ts');
    return await checkOnline(config, context, signal);
  },
  // What verifies tokens is large, and whoever only checks settings needs none of it.
  create: async (config, context) => {
    const { createOauthAuth } = await import('./open-oauth.ts');
    return await createOauthAuth(config, context);
  },
};
