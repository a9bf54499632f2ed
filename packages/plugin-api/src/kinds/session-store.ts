import type { ConfigBlock, ConfigOf } from '../config-schema.ts';
import type { PluginContext } from '../plugin-context.ts';
import type { Kind } from './kind.ts';

/**
 * Where several proxies keep the sessions of one server that speaks streamable
 * HTTP, so that any of them serves each. The kind's name is the scheme of
 * `--session-store`.
 */
// oxlint-disable-next-line typescript/no-explicit-any -- see SourceKind
export interface SessionStoreKind<Block extends ConfigBlock = any> extends Kind<Block, SessionStore> {
  /** What is wrong with an address, asked before a workload is run; undefined for one that can be used. Pure. */
  checkAddress(address: URL): string | undefined;
  /** Waits for nobody: a store that is away now may be there later. */
  create(config: ConfigOf<Block>, context: SessionStoreContext): SessionStore | Promise<SessionStore>;
}

/** What a session store may use beside what every plugin may. */
export interface SessionStoreContext extends PluginContext, SessionStoreSurroundings {}

/** What the host of a session store tells it. */
export interface SessionStoreSurroundings {
  /** As the operator gave it, without a password. */
  readonly address: URL;
  readonly password: string | undefined;
  /** Tells the sessions of one server from those of others in the same store. */
  readonly namespace: string;
  /** How long a session may go unused. */
  readonly ttlMs: number;
}

/** What is known of a session. */
export interface KeptSession {
  /** Where the server gave it out. */
  readonly path: string;
  /** Whom it belongs to; undefined where nobody has to say who they are. */
  readonly owner: string | undefined;
  /** On which server and client have agreed; undefined while that is not known. */
  readonly revision: string | undefined;
}

/**
 * Each function rejects when the store cannot be asked, within a few seconds,
 * and works again once it can. What several proxies do at once counts in one
 * order for all of them. Ids, owners and requests come from outside and may hold anything.
 */
export interface SessionStore {
  /** Keeps a session; false, and nothing changed, where there is one of that id. */
  begin(id: string, session: KeptSession): Promise<boolean>;
  /** The session, which counts as used by this; undefined when there is none, or nobody used it for its time. */
  use(id: string): Promise<KeptSession | undefined>;
  /** Returns the session without counting that as use; undefined as for `use`. */
  find(id: string): Promise<KeptSession | undefined>;
  /** Notes the revision of a session; without that session, nothing. */
  agree(id: string, revision: string): Promise<void>;
  /** Forgets a session, and what was asked in it. */
  end(id: string): Promise<void>;
  /**
   * Notes that a request waits in a session, under the key of its id. `waits`:
   * one of that key does already. `full`: more wait than are kept. `used`: the session
   * has used that key before, or that is not known; it waits as well, without its
   * request, since an answer to the earlier one may come again. Keys of numbers are `n`
   * and digits; clients count upwards, so that those far below the highest may all count as used. The session counts as used.
   */
  ask(id: string, key: string, request: string): Promise<'kept' | 'used' | 'waits' | 'full'>;
  /**
   * The request that waits under that key, and no longer does; an empty text for one whose key was used before,
   * undefined for none. Of several who take it at once, one gets it.
   */
  take(id: string, key: string): Promise<string | undefined>;
  /** Lets go of everything; safe to call twice. Never rejects. */
  close(): Promise<void>;
}
