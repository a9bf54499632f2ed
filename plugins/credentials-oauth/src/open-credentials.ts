import { missingScopes, TokenKeeper } from '@portolan/oauth-client';
import {
  isPortolanError,
  type OutgoingCredentials,
  type OutgoingCredentialsContext,
} from '@portolan/plugin-api';
import { LackingScopes } from './lacking-scopes.ts';
import { LoginRenewal } from './login-renewal.ts';
import { readRefreshPace } from './refresh-pace.ts';

export type CredentialsContext = Pick<
  OutgoingCredentialsContext,
  'login' | 'server' | 'changed' | 'openFetch' | 'environment' | 'clock' | 'logger'
>;

/**
 * Without a login, requests get no token until the user runs `portolan login`, which takes effect within
 * seconds. Sessions continue.
 */
export function openCredentials(context: CredentialsContext): Required<OutgoingCredentials> {
  const { login, server, changed, clock, logger, environment } = context;
  const { handed } = login;
  const renewal = new LoginRenewal(context);
  let isLoggedIn = handed !== undefined || login.isThere;
  const lacking = new LackingScopes((scopes) => login.lacks(scopes), login.stepUp, logger);
  const keeper = new TokenKeeper({
    renew: (signal) => renewal.renew(signal),
    clock,
    logger,
    changed,
    pace: readRefreshPace(environment),
  });
  if (handed !== undefined) {
    keeper.take({
      accessToken: handed.accessToken,
      expiresAt: handed.expiresAt,
      // The value is unused before the first renewal; only its existence matters.
      refreshToken: handed.isRenewed ? 'kept' : undefined,
      scopes: undefined,
      subject: undefined,
    });
  }
  const quiet = login.onChange(async () => {
    isLoggedIn = true;
    renewal.forget();
    await keeper.again();
    lacking.forget();
  });
  return {
    credentials: async () => {
      if (!isLoggedIn) return [];
      try {
        return [{ name: 'Authorization', value: `Bearer ${await keeper.token()}` }];
      } catch (error) {
        throw errorForClient(error, server.workload);
      }
    },
    refused: async (sent, { status, challenge }) => {
      if (status === 403) return await lacking.ask(missingScopes(challenge) ?? []);
      const token = sent
        .find(({ name }) => name.toLowerCase() === 'authorization')
        ?.value.slice('Bearer '.length);
      return token !== undefined && (await keeper.replaced(token));
    },
    close: async () => {
      quiet();
      await keeper.close();
    },
  };
}

/** Returns the error for the client, without details of the authorization server. */
function errorForClient(error: unknown, workload: string): Error {
  const isOver = isPortolanError(error) && error.code === 'ERR_LOGIN_EXPIRED';
  return isOver
    ? Object.assign(
        new Error(
          `The login of this workload at the remote server has expired. Log in again: portolan login ${workload}`,
        ),
        // Not a 401, because a login of the client would not help.
        { status: 403, expose: true },
      )
    : Object.assign(new Error('Token temporarily unavailable'), {
        status: 503,
        expose: true,
        headers: { 'Retry-After': '10' },
      });
}
