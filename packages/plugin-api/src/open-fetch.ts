/** Options of a separate `fetch`. */
export interface FetchOptions {
  /**
   * Whether private, loopback, link-local and unique local addresses are allowed, including their IPv6 forms.
   * Checked on connection, after name resolution, and again for every redirect.
   */
  readonly allowPrivateAddresses: boolean;
  /**
   * Addresses from the configuration. Only connections to their scheme, host and port may reach loopback, so
   * that neither a redirect nor a document leads to another local service. Such an address needs no
   * `allowPrivateAddresses` when its host is `localhost`, in 127.0.0.0/8, or `[::1]`. Undefined:
   * `allowPrivateAddresses` applies to loopback too.
   */
  readonly loopbackFor?: readonly string[];
  /** Certificates of additional trusted authorities, in PEM. */
  readonly ca?: string;
  /** Client certificate for servers that request one, in PEM. */
  readonly clientCertificate?: { readonly certificate: string; readonly key: string };
  /** Whether server certificates are verified. Default: true. */
  readonly verifiesServer?: boolean;
  /**
   * Variables with proxy settings (`HTTPS_PROXY`, `HTTP_PROXY`, `ALL_PROXY`, `NO_PROXY`). Default: direct
   * connections. A proxy resolves host names itself, so a name that resolves to a private address is not
   * refused then; a literal private address is.
   */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

export interface OpenFetch {
  /** Works like the global `fetch`. Rejects with ERR_ADDRESS_FORBIDDEN for a forbidden address. */
  readonly fetch: typeof globalThis.fetch;
  close(): Promise<void>;
}
