import { userInfo } from 'node:os';
import type { AuthProviderKind, ConfigBlock, Identity } from '@portolan/plugin-api';

const localUserConfig = {
  type: 'object',
  title: 'The user of this machine',
  description: 'Every request counts as one of the user that runs the workload. Has no settings.',
  properties: {},
} as const satisfies ConfigBlock;

/**
 * Auth provider kind `local-user`: every request goes on, and counts as one of
 * the user of the operating system, so that policies and records have somebody to
 * name where nobody proves anything. An `Authorization` header is not looked at.
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
      'callers prove nothing (--oidc-issuer): whoever reaches the workload counts as the local user',
    );
    return { verify: (_ctx, next) => next(), identify: () => everybody };
  },
};

/** Who a user of this machine is to policies. Frozen, since everybody gets the same. */
export function identityOf(user: string): Identity {
  const claims = {
    iss: 'portolan-local',
    sub: user,
    name: `Local User: ${user}`,
    email: `${user}@localhost`,
  };
  return Object.freeze({ subject: user, claims: Object.freeze(claims), user, provider: 'local-user' });
}

/** A user that the system has no name for, as inside containers, is named by the environment, else by number. */
function userName(environment: Readonly<Record<string, string | undefined>>): string {
  try {
    return userInfo().username;
  } catch {
    return environment['USER'] || String(process.getuid?.() ?? 'unknown');
  }
}
