import type { ConfigBlock, ConfigOf } from '../config-schema.ts';
import type { PluginContext } from '../plugin-context.ts';
import type { Kind } from './kind.ts';

/**
 * Shares the sessions of one streamable HTTP server between several proxies, so that any of them serves each.
 * The kind's name is the scheme of `--session-store`.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- see SourceKind
export interface SessionStoreKind<Block extends ConfigBlock = any> extends Kind<Block, SessionStore> {
  /** Returns what is wrong with an address, before a workload starts; undefined for a usable one. Pure. */
  checkAddress(address: URL): string | undefined;
  /** Creates a store. Does not wait for an unreachable one, which may become available later. */
  create(config: ConfigOf<Block>, context: SessionStoreContext): SessionStore | Promise<SessionStore>;
}

/** Context of a session store, in addition to every plugin's. */
export interface SessionStoreContext extends PluginContext, SessionStoreSurroundings {}

/** What the host provides to a session store. */
export interface SessionStoreSurroundings {
  /** As configured by the operator, without the password. */
  readonly address: URL;
  readonly password: string | undefined;
  /** Distinguishes the sessions of different servers in one store. */
  readonly namespace: string;
  /** Maximum idle time of a session, in milliseconds. */
  readonly ttlMs: number;
}

/** A stored session. */
export interface KeptSession {
  /** Path at which the server created it. */
  readonly path: string;
  /** Its owner. Undefined when no authentication is required. */
  readonly owner: string | undefined;
  /** Negotiated protocol revision. Undefined while unknown. */
  readonly revision: string | undefined;
}

/**
 * Shared store of sessions. Each function rejects within a few seconds when the store is unavailable, and
 * works again afterwards. Concurrent operations of several proxies have one order for all of them. Ids,
 * owners and requests are untrusted and may contain anything.
 */
export interface SessionStore {
  /** Creates a session. Returns false, without changes, for an existing id. */
  begin(id: string, session: KeptSession): Promise<boolean>;
  /** Returns the session and counts as a use; undefined when there is none or it has expired. */
  use(id: string): Promise<KeptSession | undefined>;
  /** Returns the session without counting as a use; undefined as for `use`. */
  find(id: string): Promise<KeptSession | undefined>;
  /** Stores the revision of a session. Ignores an absent session. */
  agree(id: string, revision: string): Promise<void>;
  /** Removes a session with its pending requests. */
  end(id: string): Promise<void>;
  /**
   * Records a pending request under the key of its id, and counts as a use of the session. Returns:
   * - `kept`: recorded;
   * - `waits`: a request with this key is pending already;
   * - `full`: the maximum of pending requests is reached;
   * - `used`: the key was or may have been used before. The request is recorded without its text, because a
   *   late response to the earlier request may still arrive.
   *
   * Keys of numbers are `n` and digits. Clients count upwards, so keys far below the highest may all count as
   * used.
   */
  ask(id: string, key: string, request: string): Promise<'kept' | 'used' | 'waits' | 'full'>;
  /**
   * Removes and returns the pending request of a key: an empty text for a reused key, undefined for none. Of
   * concurrent callers, exactly one gets it.
   */
  take(id: string, key: string): Promise<string | undefined>;
  /** Releases all resources. Idempotent. Never rejects. */
  close(): Promise<void>;
}
