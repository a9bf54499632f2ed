/** How a `fetch` of its own connects. */
export interface FetchOptions {
  /**
   * Whether it may reach addresses that are not public: private, loopback,
   * link-local, unique local, and their forms inside IPv6. Looked at where the
   * connection is made, after names were resolved, and again for every redirect.
   */
  readonly allowPrivateAddresses: boolean;
  /**
   * Addresses from the configuration. Connections to loopback are made for the scheme, host and port of these alone, so
   * that neither a redirect nor a document leads to another service of this machine. Such an address needs no
   * `allowPrivateAddresses` when its host is `localhost`, in 127.0.0.0/8, or `[::1]`. Left out:
   * `allowPrivateAddresses` decides about loopback too.
   */
  readonly loopbackFor?: readonly string[];
  /** More certificate authorities that are trusted, as PEM text. */
  readonly ca?: string;
  /** What is shown to servers that ask for a certificate, as PEM text. */
  readonly clientCertificate?: { readonly certificate: string; readonly key: string };
  /** Whether the certificates of servers are looked at; left out: they are. */
  readonly verifiesServer?: boolean;
  /**
   * Variables whose `HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY` and `NO_PROXY` count; left out,
   * every connection is made directly. Behind a proxy the proxy resolves names: of what is not
   * public, only an address that is written as one is refused.
   */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

export interface OpenFetch {
  /** As the global one. Rejects with code ERR_ADDRESS_FORBIDDEN for an address that may not be reached. */
  readonly fetch: typeof globalThis.fetch;
  /** Closes its connections. */
  close(): Promise<void>;
}
