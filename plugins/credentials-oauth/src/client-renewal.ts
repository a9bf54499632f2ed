import {
  type AuthorizationServer,
  endsSoon,
  type OauthWeb,
  type RegisteredClient,
  renewClient,
} from '@portolan/oauth-client';
import type { StoredClient, StoredTokens, OutgoingCredentialsContext } from '@portolan/plugin-api';

export type RenewalContext = Pick<
  OutgoingCredentialsContext,
  'login' | 'server' | 'openFetch' | 'environment' | 'clock' | 'logger'
>;

const MAX_KEEPING_MS = 30_000;

/**
 * Renews the registration of the client one day before it expires (RFC 7592, section 2.2). Stores the new
 * secret before its first use. If storing fails, keeps the secret in memory.
 */
export class ClientRenewal {
  readonly #context: RenewalContext;
  /** A renewed client that could not be stored, and the outdated client in the store. */
  #unstored: { readonly client: StoredClient; readonly instead: StoredClient } | undefined;

  constructor(context: RenewalContext) {
    this.#context = context;
  }

  /**
   * Returns a client with a valid secret. If the server issues no new secret, returns the previous client,
   * which may still be valid. The caller holds the lock of the login.
   */
  async inTime(
    { client: stored, scopes }: Pick<StoredTokens, 'client' | 'scopes'>,
    server: AuthorizationServer,
    web: OauthWeb,
    signal: AbortSignal,
  ): Promise<StoredClient> {
    const unstored = this.#unstored;
    const isOf = unstored !== undefined && isSame(unstored.instead, stored);
    const client = isOf ? unstored.client : stored;
    const { registration } = client;
    if (registration === undefined) return client;
    const { redirectUri, secretExpiresAt } = registration;
    if (!endsSoon({ secretExpiresAt }, this.#context.clock())) {
      if (isOf) await this.#keep(client, stored);
      return client;
    }
    try {
      const before: RegisteredClient = { ...client, secretExpiresAt, management: registration };
      const request = { redirectUri, scopes, usesDevice: false };
      const { management, ...renewed } = await renewClient(server, before, request, web, signal);
      const next = {
        ...renewed,
        registration: management && {
          ...management,
          secretExpiresAt: renewed.secretExpiresAt,
          redirectUri,
        },
      };
      await this.#keep(next, stored);
      return next;
    } catch (error) {
      signal.throwIfAborted();
      this.#context.logger.warn(
        { err: error, workload: this.#context.server.workload },
        'the client registration could not be renewed',
      );
      return client;
    }
  }

  async #keep(client: StoredClient, instead: StoredClient): Promise<void> {
    const { login, logger, server } = this.#context;
    try {
      await login.keepClient(client, AbortSignal.timeout(MAX_KEEPING_MS));
      this.#unstored = undefined;
    } catch (error) {
      this.#unstored = { client, instead };
      logger.error(
        { err: error, workload: server.workload },
        'the new client secret could not be stored: after the next restart, the user has to log in again',
      );
    }
  }

  /** Drops what is kept in memory, because the user has logged in again. */
  forget(): void {
    this.#unstored = undefined;
  }
}

function isSame(one: StoredClient, other: StoredClient): boolean {
  return (
    one.clientId === other.clientId &&
    one.clientSecret === other.clientSecret &&
    one.registration?.token === other.registration?.token
  );
}
