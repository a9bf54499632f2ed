/** How a `fetch` of its own connects. */
export interface FetchOptions {
  /**
   * Whether it may reach addresses that are not public: private, loopback,
   * link-local, unique local, and their forms inside IPv6. Looked at where the
   * connection is made, after names were resolved, and again for every redirect.
   */
  readonly allowPrivateAddresses: boolean;
  /** More certificate authorities that are trusted, as PEM text. */
  readonly ca?: string;
}

export interface OpenFetch {
  /** As the global one. Rejects with code ERR_ADDRESS_FORBIDDEN for an address that may not be reached. */
  readonly fetch: typeof globalThis.fetch;
  /** Closes its connections. */
  close(): Promise<void>;
}
