import {
  type AuthorizationServer,
  configurationOf,
  loginExpired,
  OauthWeb,
  refreshTokens,
  serverAt,
  type TokenSet,
} from '@portolan/oauth-client';
import { type RemoteAuth, remoteAuthOf, type RunConfig, type StoredLogin } from '@portolan/run-spec';
import { findOwnSecret, storeSecrets } from '../secrets/store-secrets.ts';
import { withLock } from '../state/file-lock.ts';
import type { WorkloadContext } from '../workload-context.ts';
import { registeredBefore } from './login-client.ts';
import { loginLockOf } from './login-marker.ts';
import { findClientSecret, type SecretsByName } from './remote-secrets.ts';
import { nameOfLoginSecret } from './stored-login.ts';

export type RenewalContext = Pick<
  WorkloadContext,
  'store' | 'directories' | 'environment' | 'user' | 'kinds' | 'openFetch' | 'clock' | 'logger'
>;

const LONGEST_TRADE_MS = 30_000;

/**
 * Trades the stored refresh token of a workload for new tokens: one process at
 * a time, and the new refresh token is stored before anything is done with what
 * came with it. One that could not be stored is used from memory.
 */
export class LoginRenewal {
  readonly #name: string;
  readonly #secrets: SecretsByName;
  readonly #context: RenewalContext;
  readonly #server = new Map<string, AuthorizationServer>();
  /** A token that could not be stored, and the one that is stored instead. */
  #unstored: { readonly token: string; readonly instead: string } | undefined;

  constructor(name: string, secrets: SecretsByName, context: RenewalContext) {
    this.#name = name;
    this.#secrets = secrets;
    this.#context = context;
  }

  /** Throws ERR_LOGIN_EXPIRED where nobody is logged in, and what the authorization server and the secret store say. */
  async renew(signal: AbortSignal): Promise<TokenSet> {
    const { store, directories } = this.#context;
    const lock = loginLockOf(this.#name, directories);
    return await withLock(lock, () => this.#renewAlone(store, signal), { timeoutMs: 60_000, signal });
  }

  async #renewAlone(store: RenewalContext['store'], signal: AbortSignal): Promise<TokenSet> {
    const { config } = await store.getConfig(this.#name);
    const auth = remoteAuthOf(config);
    const { login } = auth;
    if (login?.refreshToken === undefined && login?.accessToken !== undefined) {
      return await this.#keptToken(login, signal);
    }
    const refreshToken = await this.#refreshToken(login, signal);
    if (login === undefined || refreshToken === undefined) throw loginExpired('nobody is logged in');
    signal.throwIfAborted();
    // From here on the refresh token may be used up: whoever stops the workload waits until the next one is stored.
    const ownSignal = AbortSignal.timeout(LONGEST_TRADE_MS);
    const tokens = await this.#trade(config, auth, login, refreshToken, ownSignal);
    await this.#keep(tokens, refreshToken, ownSignal);
    return tokens;
  }

  /** Of a server that gives no refresh token. Throws ERR_LOGIN_EXPIRED once it has ended. */
  async #keptToken({ expiresAt, scopes, subject }: StoredLogin, signal: AbortSignal): Promise<TokenSet> {
    const name = nameOfLoginSecret('OAUTH_ACCESS_TOKEN', this.#name);
    const accessToken = await findOwnSecret(name, 'workloads', this.#context, signal);
    const ends = expiresAt === undefined ? undefined : new Date(expiresAt);
    const isOver = ends !== undefined && ends.getTime() <= this.#context.clock().getTime();
    if (accessToken === undefined || isOver) {
      throw loginExpired('the token has ended, and the authorization server gave none to renew it with');
    }
    return { accessToken, expiresAt: ends, refreshToken: undefined, scopes, subject };
  }

  async #refreshToken(login: StoredLogin | undefined, signal: AbortSignal): Promise<string | undefined> {
    if (login?.refreshToken === undefined) return undefined;
    const unstored = this.#unstored;
    const name = nameOfLoginSecret('OAUTH_REFRESH_TOKEN', this.#name);
    try {
      const stored = await findOwnSecret(name, 'workloads', this.#context, signal);
      // Another one there is of somebody who has logged in meanwhile.
      return unstored !== undefined && stored === unstored.instead ? unstored.token : stored;
    } catch (error) {
      if (unstored === undefined) throw error;
      return unstored.token;
    }
  }

  async #trade(
    config: RunConfig,
    auth: RemoteAuth,
    login: StoredLogin,
    refreshToken: string,
    signal: AbortSignal,
  ): Promise<TokenSet> {
    const { environment, openFetch, clock } = this.#context;
    const web = await OauthWeb.open({
      named: [config.remote_url, auth.issuer, auth.authorizeUrl, auth.tokenUrl],
      openFetch,
      environment,
    });
    try {
      const server = this.#server.get(login.issuer) ?? (await serverAt(login.issuer, auth, web, signal));
      this.#server.set(login.issuer, server);
      const registered = registeredBefore(login, server.issuer, await this.#ownSecrets(login, signal));
      const client =
        auth.clientId !== login.clientId && registered !== undefined
          ? registered
          : {
              clientId: login.clientId,
              clientSecret: await findClientSecret(auth, this.#secrets, environment),
            };
      const configuration = await configurationOf(server, client, web);
      return await refreshTokens(configuration, refreshToken, login.resource, clock);
    } finally {
      await web.close();
    }
  }

  /** Those that a login has stored; they may be newer than what the supervisor was handed. */
  async #ownSecrets(login: StoredLogin, signal: AbortSignal): Promise<SecretsByName> {
    if (login.clientSecret === undefined) return this.#secrets;
    const name = nameOfLoginSecret('OAUTH_CLIENT_SECRET', this.#name);
    const value = await findOwnSecret(name, 'workloads', this.#context, signal);
    return value === undefined ? this.#secrets : { ...this.#secrets, [name]: value };
  }

  async #keep({ refreshToken }: TokenSet, before: string, signal: AbortSignal): Promise<void> {
    if (refreshToken === undefined || (refreshToken === before && this.#unstored === undefined)) return;
    const name = nameOfLoginSecret('OAUTH_REFRESH_TOKEN', this.#name);
    try {
      await storeSecrets([{ name, value: refreshToken }], this.#context, { scope: 'workloads', signal });
      this.#unstored = undefined;
    } catch (error) {
      this.#unstored = { token: refreshToken, instead: this.#unstored?.instead ?? before };
      this.#context.logger.error(
        { err: error, workload: this.#name },
        'the new refresh token could not be stored: after the next restart somebody has to log in again',
      );
    }
  }

  /** Somebody has logged in anew: what was kept in memory is of before. */
  forget(): void {
    this.#unstored = undefined;
  }
}
