import type { AuthProviderKind, ConfigBlock } from '@portolan/plugin-api';

const anonymousConfig = {
  type: 'object',
  title: 'Anonymous mode',
  description: 'Every caller may read everything without authentication. Has no settings.',
  properties: {},
} as const satisfies ConfigBlock;

/**
 * Auth provider kind `anonymous`: accepts every request without an identity. Ignores an `Authorization`
 * header: an unverified credential must not count as one.
 */
export const anonymousAuth: AuthProviderKind<typeof anonymousConfig> = {
  kind: 'anonymous',
  config: anonymousConfig,
  hosts: ['registry-server', 'workload'],
  identifies: false,
  create: () => ({ verify: (_ctx, next) => next(), identify: () => undefined }),
};
