import {
  isJsonObject,
  type JsonRecord,
  memberOf,
  type NotificationMessage,
  ownRequest,
  type RequestMessage,
  stringsIn,
} from '@portolan/mcp-protocol';
import type { ModernPeer } from './modern-peer.ts';
import { removeTag } from '../to-legacy.ts';

const LISTEN = 'subscriptions/listen';
const ACKNOWLEDGED = 'notifications/subscriptions/acknowledged';

/** Delay before a lost subscription is opened again; doubles with each loss. */
const REOPEN_MS = 1000;
const MAX_REOPEN_MS = 60_000;

/** Maximum number of resources that one session subscribes to. */
export const MAX_RESOURCES = 1000;

export interface LegacySubscriptionsOptions {
  readonly peer: ModernPeer;
  /** Returns the `_meta` of a Modern request. */
  readonly envelope: () => JsonRecord;
  readonly deliver: (text: string) => void;
}

/**
 * List changes and resource updates for one Legacy session, by one `subscriptions/listen`. A changed filter opens a
 * new subscription, and the old one ends after the acknowledgement of the new.
 */
export class LegacySubscriptions {
  readonly #options: LegacySubscriptionsOptions;
  readonly #uris = new Set<string>();
  #lists: JsonRecord = {};
  #current: Listening | undefined;
  #next: Listening | undefined;
  #reopening: NodeJS.Timeout | undefined;
  #losses = 0;
  #isClosed = false;

  constructor(options: LegacySubscriptionsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#uris.size;
  }

  /** Subscribes to the list changes that the server declares. */
  followLists(capabilities: unknown): void {
    const changes = (area: string): boolean => {
      const declared = isJsonObject(capabilities) ? memberOf(capabilities, area) : undefined;
      return isJsonObject(declared) && memberOf(declared, 'listChanged') === true;
    };
    this.#lists = {
      ...(changes('tools') ? { toolsListChanged: true } : {}),
      ...(changes('prompts') ? { promptsListChanged: true } : {}),
      ...(changes('resources') ? { resourcesListChanged: true } : {}),
    };
    if (Object.keys(this.#lists).length > 0) this.#open();
  }

  /** Resolves with whether the server sends updates of the resource. */
  async subscribe(uri: string): Promise<boolean> {
    if (this.#uris.has(uri)) return true;
    this.#uris.add(uri);
    const isHonoured = (await this.#open().acknowledged)?.includes(uri) === true;
    if (!isHonoured) this.#uris.delete(uri);
    return isHonoured;
  }

  async unsubscribe(uri: string): Promise<void> {
    if (!this.#uris.delete(uri)) return;
    await this.#open().acknowledged;
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#reopening);
    this.#current?.end();
    this.#next?.end();
  }

  #open(): Listening {
    clearTimeout(this.#reopening);
    this.#next?.end();
    const listening: Listening = new Listening({
      peer: this.#options.peer,
      message: this.#write(),
      acknowledged: () => {
        if (this.#next !== listening) return;
        this.#current?.end();
        this.#current = listening;
        this.#next = undefined;
        this.#losses = 0;
      },
      notified: (notification) => {
        if (this.#current === listening) this.#options.deliver(removeTag(notification));
      },
      ended: () => {
        if (this.#current === listening) this.#current = undefined;
        if (this.#next === listening) this.#next = undefined;
        this.#reopenLater();
      },
    });
    this.#next = listening;
    listening.begin();
    return listening;
  }

  #reopenLater(): void {
    if (this.#isClosed || this.#options.peer.hasEnded || this.#current !== undefined) return;
    const delayMs = Math.min(MAX_REOPEN_MS, REOPEN_MS * 2 ** this.#losses);
    this.#losses += 1;
    clearTimeout(this.#reopening);
    this.#reopening = setTimeout(() => this.#open(), delayMs);
  }

  #write(): RequestMessage {
    const resources = this.#uris.size === 0 ? {} : { resourceSubscriptions: [...this.#uris] };
    return ownRequest(LISTEN, {
      notifications: { ...this.#lists, ...resources },
      _meta: this.#options.envelope(),
    });
  }
}

interface ListeningOptions {
  readonly peer: ModernPeer;
  readonly message: RequestMessage;
  readonly acknowledged: () => void;
  readonly notified: (notification: NotificationMessage) => void;
  readonly ended: () => void;
}

/** One `subscriptions/listen` request. */
class Listening {
  readonly #options: ListeningOptions;
  readonly #acknowledged = Promise.withResolvers<readonly string[] | undefined>();
  #stop: (() => void) | undefined;
  #isOver = false;

  constructor(options: ListeningOptions) {
    this.#options = options;
  }

  /** Resources in the acknowledgement; undefined when the subscription ended without one. */
  get acknowledged(): Promise<readonly string[] | undefined> {
    return this.#acknowledged.promise;
  }

  begin(): void {
    const { peer, message } = this.#options;
    try {
      this.#stop = peer.listen(message, {
        notified: (notification) => this.#take(notification),
        ended: () => this.#finish(),
      });
    } catch {
      this.#finish();
    }
  }

  end(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#acknowledged.resolve(undefined);
    this.#stop?.();
  }

  #take(notification: NotificationMessage): void {
    if (this.#isOver) return;
    if (notification.method !== ACKNOWLEDGED) {
      this.#options.notified(notification);
      return;
    }
    const filter = memberOf(notification.params, 'notifications');
    const uris = isJsonObject(filter) ? memberOf(filter, 'resourceSubscriptions') : undefined;
    this.#options.acknowledged();
    this.#acknowledged.resolve(stringsIn(uris));
  }

  #finish(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#acknowledged.resolve(undefined);
    this.#options.ended();
  }
}
