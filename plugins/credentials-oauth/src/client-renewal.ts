import {
  type AuthorizationServer,
  endsSoon,
  type OauthWeb,
  type RegisteredClient,
  renewClient,
} from '@portolan/oauth-client';
import type { KeptClient, KeptLogin, OutgoingCredentialsContext } from '@portolan/plugin-api';

/** Part of the context of outgoing credentials that renewals use. */
export type RenewalContext = Pick<
  OutgoingCredentialsContext,
  'login' | 'server' | 'openFetch' | 'environment' | 'clock' | 'logger'
>;

const MAX_KEEPING_MS = 30_000;

/**
 * Gives the client of a login a new secret a day before the old one ends, where
 * it was registered for it (RFC 7592, section 2.2). The
 * new one is kept before it is used; one that could not be kept is used from memory.
 */
export class ClientRenewal {
  readonly #context: RenewalContext;
  /** A client that could not be kept, and what is kept instead. */
  #unstored: { readonly client: KeptClient; readonly instead: KeptClient } | undefined;

  constructor(context: RenewalContext) {
    this.#context = context;
  }

  /**
   * As which client tokens are renewed now. Where the server gives no new secret, as
   * the one of before, which may still be good. Called under the lock of the login.
   */
  async inTime(
    { client: kept, scopes }: Pick<KeptLogin, 'client' | 'scopes'>,
    server: AuthorizationServer,
    web: OauthWeb,
    signal: AbortSignal,
  ): Promise<KeptClient> {
    const unstored = this.#unstored;
    const isOf = unstored !== undefined && isSame(unstored.instead, kept);
    const client = isOf ? unstored.client : kept;
    const { registration } = client;
    if (registration === undefined) return client;
    const { redirectUri, secretExpiresAt } = registration;
    if (!endsSoon({ secretExpiresAt }, this.#context.clock())) {
      if (isOf) await this.#keep(client, kept);
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
      await this.#keep(next, kept);
      return next;
    } catch (error) {
      signal.throwIfAborted();
      this.#context.logger.warn(
        { err: error, workload: this.#context.server.workload },
        'the registration of the client could not be renewed',
      );
      return client;
    }
  }

  async #keep(client: KeptClient, instead: KeptClient): Promise<void> {
    const { login, logger, server } = this.#context;
    try {
      await login.keepClient(client, AbortSignal.timeout(MAX_KEEPING_MS));
      this.#unstored = undefined;
    } catch (error) {
      this.#unstored = { client, instead };
      logger.error(
        { err: error, workload: server.workload },
        'the new secret of the client could not be stored: after the next restart somebody has to log in again',
      );
    }
  }

  /** Somebody has logged in anew: what was kept in memory is of before. */
  forget(): void {
    this.#unstored = undefined;
  }
}

/** Whether nobody has renewed it, or logged in as another one, meanwhile. */
function isSame(one: KeptClient, other: KeptClient): boolean {
  return (
    one.clientId === other.clientId &&
    one.clientSecret === other.clientSecret &&
    one.registration?.token === other.registration?.token
  );
}
