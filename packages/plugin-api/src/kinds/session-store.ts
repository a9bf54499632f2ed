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
  /** Creates the store. Does not wait for an unreachable database. */
  create(config: ConfigOf<Block>, context: SessionStoreContext): SessionStore | Promise<SessionStore>;
}

/** Context of a session store. */
export interface SessionStoreContext extends PluginContext, SessionStoreHostContext {}

export interface SessionStoreHostContext {
  /** Address of the store as the operator configured it, without the password. */
  readonly address: URL;
  readonly password: string | undefined;
  /** Prefix that separates the sessions of several servers in one store. */
  readonly namespace: string;
  /** Maximum idle time, in milliseconds. */
  readonly ttlMs: number;
}

export interface StoredSession {
  /** Path of the request that created the session. */
  readonly path: string;
  /** Identity of the caller who created the session. Undefined when no authentication is required. */
  readonly owner: string | undefined;
  /** Protocol revision that client and server agreed on. Undefined while unknown. */
  readonly revision: string | undefined;
}

/**
 * Each function rejects within a few seconds when the store is unavailable, and works again afterwards.
 * Concurrent operations of several proxies have one order. Ids, owners and requests are untrusted.
 */
export interface SessionStore {
  /** Creates a session. Returns false, without changes, when the id exists. */
  begin(id: string, session: StoredSession): Promise<boolean>;
  /** Returns a session and extends its idle time. Undefined for an absent or expired session. */
  use(id: string): Promise<StoredSession | undefined>;
  /** Returns a session without extending its idle time. */
  find(id: string): Promise<StoredSession | undefined>;
  /** Stores the protocol revision of a session. Ignores an absent session. */
  agree(id: string, revision: string): Promise<void>;
  /** Removes a session and its pending requests. */
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
   * Removes and returns the text of a pending request. The text is empty when `ask` returned `used`. Of
   * concurrent callers, exactly one gets the text.
   */
  take(id: string, key: string): Promise<string | undefined>;
  /** Releases all resources. Idempotent. Never rejects. */
  close(): Promise<void>;
}
