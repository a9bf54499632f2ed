import type { ConfigBlock, ConfigOf } from '../config-schema.ts';
import type { PluginContext } from '../plugin-context.ts';
import type { Kind } from './kind.ts';

/**
 * Shares the sessions of one streamable HTTP server between several proxies. The kind's name is the scheme of
 * `--session-store`.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- see SourceKind
export interface SessionStoreKind<Block extends ConfigBlock = any> extends Kind<Block, SessionStore> {
  /** Returns what is wrong with an address. Pure. */
  checkAddress(address: URL): string | undefined;
  /** Does not wait for an unreachable store. */
  create(config: ConfigOf<Block>, context: SessionStoreContext): SessionStore | Promise<SessionStore>;
}

/** Context of a session store. */
export interface SessionStoreContext extends PluginContext, SessionStoreSurroundings {}

export interface SessionStoreSurroundings {
  /** As configured by the operator, without the password. */
  readonly address: URL;
  readonly password: string | undefined;
  /** Distinguishes servers in one store. */
  readonly namespace: string;
  /** Maximum idle time, in milliseconds. */
  readonly ttlMs: number;
}

export interface KeptSession {
  /** Path at which the server created it. */
  readonly path: string;
  /** Its owner. Undefined when no authentication is required. */
  readonly owner: string | undefined;
  /** Negotiated revision. Undefined while unknown. */
  readonly revision: string | undefined;
}

/**
 * Each function rejects within a few seconds when the store is unavailable, and works again afterwards.
 * Concurrent operations of several proxies have one order. Ids, owners and requests are untrusted.
 */
export interface SessionStore {
  /** Returns false, without changes, for an existing id. */
  begin(id: string, session: KeptSession): Promise<boolean>;
  /** Counts as a use. Returns undefined for an absent or expired session. */
  use(id: string): Promise<KeptSession | undefined>;
  /** Does not count as a use. */
  find(id: string): Promise<KeptSession | undefined>;
  /** Stores the revision of a session. Ignores an absent session. */
  agree(id: string, revision: string): Promise<void>;
  /** Removes pending requests, too. */
  end(id: string): Promise<void>;
  /**
   * Records a pending request under the key of its id, and counts as a use. Returns:
   * - `kept`: recorded;
   * - `waits`: a request with this key is pending already;
   * - `full`: the maximum of pending requests is reached;
   * - `used`: the key was or may have been used before. The request is recorded without its text, because a
   *   late response to the earlier request may still arrive.
   * Keys of numbers are `n` and digits. Clients count upwards, so keys far below the highest may all count as
   * used.
   */
  ask(id: string, key: string, request: string): Promise<'kept' | 'used' | 'waits' | 'full'>;
  /**
   * Removes and returns a pending request: an empty text for a reused key. Of concurrent callers, exactly one
   * gets it.
   */
  take(id: string, key: string): Promise<string | undefined>;
  /** Releases all resources. Idempotent. Never rejects. */
  close(): Promise<void>;
}
