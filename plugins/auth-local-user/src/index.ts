import type { Plugin } from '@portolan/plugin-api';
import { localUserAuth } from './local-user-auth.ts';

export { localUserAuth } from './local-user-auth.ts';

export default {
  name: '@portolan/auth-local-user',
  apiVersion: 2,
  contributes: { authProviders: [localUserAuth] },
} satisfies Plugin;
