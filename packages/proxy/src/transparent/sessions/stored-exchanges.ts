import { parseServerMessage } from '@portolan/mcp-protocol';
import type { ClientExchange, Logger, SessionStore } from '@portolan/plugin-api';
import { sessionsUnavailable } from '../../errors/session-errors.ts';
import { viewOf } from '../../policy/message-view.ts';
import { requestsExhausted } from '../../policy/policy-errors.ts';
import type { Exchanges } from './pending-exchanges.ts';

/**
 * Maximum size of a stored request in characters. The response to a longer request is accepted only on the
 * stream of that request.
 */
const MAX_CHARACTERS = 256 * 1024;

/** Pending requests in a store that proxies share: a client may resume a stream at another proxy. */
export class StoredExchanges implements Exchanges {
  readonly #store: SessionStore;
  readonly #logger: Logger;

  constructor(store: SessionStore, logger: Logger) {
    this.#store = store;
    this.#logger = logger;
  }

  async add(session: string, idKey: string, { message }: ClientExchange): Promise<boolean> {
    const text = message?.text ?? '';
    const outcome = await this.#asked(
      this.#store.ask(session, idKey, text.length > MAX_CHARACTERS ? '' : text),
    );
    if (outcome === 'full') throw requestsExhausted();
    return outcome !== 'waits';
  }

  /**
   * Returns the pending request that a response belongs to, and removes it. The caller is that of the stream,
   * because a session has one owner.
   */
  async take(session: string, idKey: string, unasked: ClientExchange): Promise<ClientExchange | undefined> {
    const text = await this.#asked(this.#store.take(session, idKey));
    const message = text === undefined ? undefined : parseServerMessage(text);
    if (message === undefined || typeof message === 'string') return undefined;
    return { ...unasked, message: viewOf(message) };
  }

  drop(session: string, idKey: string): void {
    this.#store.take(session, idKey).catch((error: unknown) => {
      this.#logger.debug({ err: error }, 'response to a request could not be recorded');
    });
  }

  async #asked<Result>(asking: Promise<Result>): Promise<Result> {
    try {
      return await asking;
    } catch (error) {
      throw sessionsUnavailable(error);
    }
  }
}
