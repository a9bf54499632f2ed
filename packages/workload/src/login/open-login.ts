import { type LoginState, TokenKeeper } from '@portolan/oauth-client';
import { type HttpBackend, isPortolanError } from '@portolan/plugin-api';
import { remoteAuthOf, type RunConfig } from '@portolan/run-spec';
import { LoginRenewal, type RenewalContext } from './login-renewal.ts';
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
}

/** The login of a remote workload, kept good while it runs. */
export interface OpenLogin extends Required<Pick<HttpBackend, 'credentials' | 'credentialsRefused'>> {
  close(): void;
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
  let isLoggedIn = handed !== undefined || remoteAuthOf(config).login?.refreshToken !== undefined;
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
      refreshToken: remoteAuthOf(config).login?.refreshToken,
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
  };
  const timer = setInterval(() => {
    look().catch((error: unknown) => context.logger.warn({ err: error }, 'a login could not be looked for'));
  }, LOOK_EVERY_MS);
  timer.unref();
  return {
    credentials: async () => {
      if (!isLoggedIn) return [];
      try {
        return [{ name: 'Authorization', value: `Bearer ${await keeper.token()}` }];
      } catch (error) {
        throw answerOf(error);
      }
    },
    credentialsRefused: async (sent) => {
      const token = sent
        .find(({ name }) => name.toLowerCase() === 'authorization')
        ?.value.slice('Bearer '.length);
      return token !== undefined && (await keeper.replaced(token));
    },
    close: () => {
      clearInterval(timer);
      keeper.close();
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
