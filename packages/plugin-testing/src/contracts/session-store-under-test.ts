import type { SessionStore, SessionStoreContext, SessionStoreKind } from '@portolan/plugin-api';

export interface SessionStoreUnderTest {
  /** Stands in the title of the suite. */
  readonly name: string;
  readonly kind: SessionStoreKind;
  /** Blocks that can be used, with their defaults: the kind's `check` has to find nothing wrong with them. */
  readonly blocks?: readonly unknown[];
  /** Addresses that can be used, and some that cannot. */
  readonly addresses: { readonly good: readonly string[]; readonly bad: readonly string[] };
  /**
   * Makes an instance, as one of several proxies would. Called several times in
   * a test; all of one test share what is kept.
   */
  readonly create: (context: SessionStoreContext) => SessionStore | Promise<SessionStore>;
  /** Where `create` connects to; changes nothing else. */
  readonly address: () => URL;
  /** Takes the store away, and brings it back with or without what it kept. Left out: it cannot go away. */
  readonly outage?: { begin(): Promise<void>; end(): Promise<void> };
  readonly withinMs?: number;
}
