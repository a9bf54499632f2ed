import type { Plugin } from '@portolan/plugin-api';
import { oauthAuth } from './oauth-auth.ts';

export { oauthAuth } from './oauth-auth.ts';
export { oauthConfig } from './config/oauth-config.ts';
export type { ListedProvider, OauthConfig, ProviderConfig } from './config/oauth-config.ts';

export default {
  name: '@portolan/auth-oauth',
  apiVersion: 2,
  contributes: { authProviders: [oauthAuth] },
} satisfies Plugin;
