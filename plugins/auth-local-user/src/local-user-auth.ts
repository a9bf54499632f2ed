import { userInfo } from 'node:os';
import type { AuthProviderKind, ConfigBlock, Identity } from '@portolan/plugin-api';

const localUserConfig = {
  type: 'object',
  title: 'The user of this machine',
  description: 'Every request counts as one of the user that runs the workload. Has no settings.',
  properties: {},
} as const satisfies ConfigBlock;

/**
 * Auth provider kind `local-user`: identifies every caller as the user of the operating system, so that
 * policies and records have an identity without authentication. Ignores an `Authorization` header.
 */
export const localUserAuth: AuthProviderKind<typeof localUserConfig> = {
  kind: 'local-user',
  config: localUserConfig,
  hosts: ['workload'],
  identifies: false,
  create: (_config, { logger, environment }) => {
    const everybody = identityOf(userName(environment));
    logger.warn(
      { subject: everybody.subject },
      'callers are not authenticated (--oidc-issuer enables it): every client that reaches the workload counts as the local user',
    );
    return { verify: (_ctx, next) => next(), identify: () => everybody };
  },
};

/** Frozen, because all requests share the identity. */
export function identityOf(user: string): Identity {
  const claims = {
    iss: 'portolan-local',
    sub: user,
    name: `Local User: ${user}`,
    email: `${user}@localhost`,
  };
  return Object.freeze({ subject: user, claims: Object.freeze(claims), user, provider: 'local-user' });
}

/**
 * Returns the name of the user. In containers the system often has none; then the environment's name counts,
 * else the user number.
 */
function userName(environment: Readonly<Record<string, string | undefined>>): string {
  try {
    return userInfo().username;
  } catch {
    return environment['USER'] || String(process.getuid?.() ?? 'unknown');
  }
}
