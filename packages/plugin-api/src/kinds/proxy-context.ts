/** What a proxy's host provides to middleware, besides every plugin's context. */
export interface ProxyContext {
  readonly workload: ProxiedWorkload;
  readonly version: string;
  /**
   * Returns the value of a secret that the run config references, by its reference (`NAME,target=TARGET`) or
   * its name. Secrets are loaded before the start, so no store needs unlocking later. Throws
   * ERR_SECRET_NOT_FOUND.
   */
  readonly secret: (reference: string) => string;
  /** Sets a one-sentence remark in the workload's status. An empty text removes it. */
  readonly remark: (text: string) => void;
}

/** The workload behind the proxy. */
export interface ProxiedWorkload {
  readonly name: string;
  /** Name of the server in its registry. Without one, the name of the workload. */
  readonly server: string;
  readonly transport: string;
  readonly isRemote: boolean;
  /**
   * Whether the workload is a virtual server. Its tools and prompts have the names `MEMBER/NAME` in messages;
   * a member has no slash in its name.
   */
  readonly hasMembers?: boolean;
  /** Whether `X-Forwarded-*` headers are trusted. */
  readonly trustsProxyHeaders: boolean;
  /** Private folder of this workload, which need not exist. It is deleted with the workload. */
  readonly directory: string;
}
