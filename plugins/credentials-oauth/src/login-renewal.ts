import {
  type AuthorizationServer,
  configurationOf,
  loginExpired,
  OauthWeb,
  refreshTokens,
  serverAt,
  type TokenSet,
} from '@portolan/oauth-client';
import type { StoredTokens } from '@portolan/plugin-api';
import { ClientRenewal, type RenewalContext } from './client-renewal.ts';

const MAX_TRADE_MS = 30_000;
const MAX_KEEPING_MS = 30_000;

/**
 * Renews a login in one process at a time. Stores the new refresh token before the access token is used. If
 * storing fails, keeps the token in memory.
 */
export class LoginRenewal {
  readonly #context: RenewalContext;
  readonly #client: ClientRenewal;
  readonly #server = new Map<string, AuthorizationServer>();
  /** A token that could not be stored, the outdated token in the store, and the login of both. */
  #unstored: { readonly token: string; readonly instead: string; readonly of: StoredTokens } | undefined;

  constructor(context: RenewalContext) {
    this.#context = context;
    this.#client = new ClientRenewal(context);
  }

  /** Throws ERR_LOGIN_EXPIRED, and errors of the authorization server and the secret store. */
  async renew(signal: AbortSignal): Promise<TokenSet> {
    return await this.#context.login.alone(() => this.#renewAlone(signal), signal);
  }

  async #renewAlone(signal: AbortSignal): Promise<TokenSet> {
    const login = await this.#read(signal);
    if (login?.refreshToken === undefined) return this.#keptToken(login);
    signal.throwIfAborted();
    // This request may invalidate the old refresh token, so it continues on shutdown until the new one is
    // stored.
    const ownSignal = AbortSignal.timeout(MAX_TRADE_MS);
    const tokens = await this.#trade(login, login.refreshToken, ownSignal);
    await this.#keep(tokens, login, AbortSignal.timeout(MAX_KEEPING_MS));
    return tokens;
  }

  /** Reads the login, with the token in memory unless the user has logged in again. */
  async #read(signal: AbortSignal): Promise<StoredTokens | undefined> {
    const unstored = this.#unstored;
    try {
      const login = await this.#context.login.read(signal);
      if (login === undefined || unstored === undefined || login.refreshToken !== unstored.instead)
        return login;
      return { ...login, refreshToken: unstored.token };
    } catch (error) {
      if (unstored === undefined) throw error;
      return { ...unstored.of, refreshToken: unstored.token };
    }
  }

  /** Returns the stored access token of a server that issues no refresh tokens. Throws ERR_LOGIN_EXPIRED. */
  #keptToken(login: StoredTokens | undefined): TokenSet {
    if (login?.accessToken === undefined) throw loginExpired('no user is logged in');
    const { accessToken, expiresAt, scopes, subject } = login;
    if (expiresAt !== undefined && expiresAt.getTime() <= this.#context.clock().getTime()) {
      throw loginExpired('the token has ended, and the authorization server gave none to renew it with');
    }
    return { accessToken, expiresAt, refreshToken: undefined, scopes, subject };
  }

  async #trade(stored: StoredTokens, refreshToken: string, signal: AbortSignal): Promise<TokenSet> {
    const { issuer, named, resource } = stored;
    const { server: remote, environment, openFetch, clock } = this.#context;
    const web = await OauthWeb.open({
      named: [remote.url.href, named.issuer, named.authorizeUrl, named.tokenUrl],
      openFetch,
      environment,
    });
    try {
      const server = this.#server.get(issuer) ?? (await serverAt(issuer, named, web, signal));
      this.#server.set(issuer, server);
      const client = await this.#client.inTime(stored, server, web, signal);
      const configuration = await configurationOf(server, client, web);
      return await refreshTokens(configuration, refreshToken, resource === '' ? undefined : resource, clock);
    } catch (error) {
      // Discover the endpoints again, because the server may have moved them.
      this.#server.delete(issuer);
      throw error;
    } finally {
      await web.close();
    }
  }

  async #keep(tokens: TokenSet, saved: StoredTokens, signal: AbortSignal): Promise<void> {
    const { refreshToken, expiresAt, scopes, subject } = tokens;
    const before = saved.refreshToken ?? '';
    const isOther = refreshToken !== undefined && (refreshToken !== before || this.#unstored !== undefined);
    const { login, server, logger } = this.#context;
    try {
      const renewed = { refreshToken: isOther ? refreshToken : undefined, expiresAt, scopes, subject };
      await login.keep(renewed, signal);
      this.#unstored = undefined;
    } catch (error) {
      if (!isOther) {
        logger.warn(
          { err: error, workload: server.workload },
          'the renewal of the login could not be recorded',
        );
        return;
      }
      this.#unstored = { token: refreshToken, instead: this.#unstored?.instead ?? before, of: saved };
      logger.error(
        { err: error, workload: server.workload },
        'the new refresh token could not be stored: after the next restart, the user has to log in again',
      );
    }
  }

  forget(): void {
    this.#unstored = undefined;
    this.#client.forget();
  }
}
