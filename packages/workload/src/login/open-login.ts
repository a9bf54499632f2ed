import { type LoginState, missingScopes, TokenKeeper } from '@portolan/oauth-client';
import { isPortolanError, type OutgoingCredentials } from '@portolan/plugin-api';
import { remoteAuthOf, type RunConfig } from '@portolan/run-spec';
import { LoginRenewal, type RenewalContext } from './login-renewal.ts';
import { LackingScopes } from './lacking-scopes.ts';
import { loginMarkerOf, readLoginMarker } from './login-marker.ts';
import type { SecretsByName } from './remote-secrets.ts';

/** The access token that a login in another process has brought. */
export interface HandedToken {
  readonly accessToken: string;
  /** RFC 3339; undefined where nobody knows. */
  readonly expiresAt: string | undefined;
}

export interface LoginWork {
  readonly config: RunConfig;
  readonly secrets: SecretsByName;
  readonly handed: HandedToken | undefined;
  readonly changed: (state: LoginState) => void;
  /** Told which scopes requests lack, and that they may lack none any more. */
  readonly lacking: (scopes: readonly string[]) => void;
  /** Has somebody log in for more scopes; left out where nobody can be asked. Rejects where that comes to nothing. */
  readonly stepUp?: ((scopes: readonly string[]) => Promise<void>) | undefined;
}

/** The login of a remote workload, kept good while it runs. */
export interface OpenLogin extends OutgoingCredentials {
  /** Waits for a renewal that has begun. Never rejects. */
  close(): Promise<void>;
}

const LOOK_EVERY_MS = 2000;

/**
 * Keeps the login of a workload good. Without one nothing is added to requests,
 * until somebody logs in with `portolan login`: that is seen within seconds, and
 * sessions go on.
 */
export async function openLogin(work: LoginWork, context: RenewalContext): Promise<OpenLogin> {
  const { config, handed } = work;
  const renewal = new LoginRenewal(config.name, work.secrets, context);
  const marker = loginMarkerOf(config.name, context.directories);
  let seen = await readLoginMarker(marker);
  const { login } = remoteAuthOf(config);
  let isLoggedIn = handed !== undefined || (login?.refreshToken ?? login?.accessToken) !== undefined;
  const lacking = new LackingScopes(work.lacking, work.stepUp, context.logger);
  const keeper = new TokenKeeper({
    renew: (signal) => renewal.renew(signal),
    clock: context.clock,
    logger: context.logger,
    changed: work.changed,
  });
  if (handed !== undefined) {
    keeper.take({
      accessToken: handed.accessToken,
      expiresAt: handed.expiresAt === undefined ? undefined : new Date(handed.expiresAt),
      refreshToken: login?.refreshToken,
      scopes: undefined,
      subject: undefined,
    });
  }
  const look = async (): Promise<void> => {
    const now = await readLoginMarker(marker);
    if (now === seen) return;
    seen = now;
    isLoggedIn = true;
    renewal.forget();
    await keeper.again();
    lacking.forget();
  };
  const timer = setInterval(() => {
    look().catch((error: unknown) => context.logger.warn({ err: error }, 'a login could not be looked for'));
  }, LOOK_EVERY_MS);
  timer.unref();
  return {
    prove: async () => {
      if (!isLoggedIn) return [];
      try {
        return [{ name: 'Authorization', value: `Bearer ${await keeper.token()}` }];
      } catch (error) {
        throw answerOf(error);
      }
    },
    refused: async (sent, { status, challenge }) => {
      if (status === 403) {
        const isGiven = await lacking.ask(missingScopes(challenge) ?? []);
        // The new token is there before the request is sent once more.
        if (isGiven) await look();
        return isGiven;
      }
      const token = sent
        .find(({ name }) => name.toLowerCase() === 'authorization')
        ?.value.slice('Bearer '.length);
      return token !== undefined && (await keeper.replaced(token));
    },
    close: async () => {
      clearInterval(timer);
      await keeper.close();
    },
  };
}

/** What a client is told: nothing of the authorization server, and where to look. */
function answerOf(error: unknown): Error {
  const isOver = isPortolanError(error) && error.code === 'ERR_LOGIN_EXPIRED';
  return isOver
    ? Object.assign(new Error('The workload has to be logged in again (portolan login).'), {
        status: 401,
        expose: true,
      })
    : Object.assign(new Error('Token temporarily unavailable'), {
        status: 503,
        expose: true,
        headers: { 'Retry-After': '10' },
      });
}
