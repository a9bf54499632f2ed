import type { AuthProviderKind } from '@portolan/plugin-api';
import { checkSettings } from './config/check-settings.ts';
import { oauthConfig } from './config/oauth-config.ts';

/**
 * Auth provider kind `oauth`. Responds with 401 and a challenge for a token that no provider accepts, and 503
 * when the provider is unreachable.
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
  // Loaded on demand: a check of settings does not need the large verification code.
  create: async (config, context) => {
    const { createOauthAuth } = await import('./open-oauth.ts');
    return await createOauthAuth(config, context);
  },
};
