import type { Plugin } from '@portolan/plugin-api';
import { oauthCredentials } from './oauth-credentials.ts';

export { oauthCredentials } from './oauth-credentials.ts';

export default {
  name: '@portolan/credentials-oauth',
  apiVersion: 2,
  contributes: { outgoingCredentials: [oauthCredentials] },
} satisfies Plugin;
