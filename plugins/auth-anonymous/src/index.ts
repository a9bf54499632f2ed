import type { Plugin } from '@portolan/plugin-api';
import { anonymousAuth } from './anonymous-auth.ts';

export { anonymousAuth } from './anonymous-auth.ts';

export default {
  name: '@portolan/auth-anonymous',
  apiVersion: 2,
  contributes: { authProviders: [anonymousAuth] },
} satisfies Plugin;
