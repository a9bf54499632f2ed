/** What the host of a proxy tells its middleware, beside what every plugin may use. */
export interface ProxySurroundings {
  readonly workload: ProxiedWorkload;
  /** Our version. */
  readonly version: string;
  /**
   * Value of a secret that the run config names, by its reference
   * (`NAME,target=TARGET`) or its bare name. It was asked for before the workload
   * was started, so that nobody has to unlock a store later. Throws
   * ERR_SECRET_NOT_FOUND for one that the run config does not name.
   */
  readonly secret: (reference: string) => string;
  /** Says in the workload's status what whoever runs it should know: one sentence. An empty text takes it back. */
  readonly remark: (text: string) => void;
}

/** The workload in front of which the proxy stands. */
export interface ProxiedWorkload {
  readonly name: string;
  /** Name of the server in its registry; that of the workload where it is from none. */
  readonly server: string;
  readonly transport: string;
  readonly isRemote: boolean;
  /** Whether what `X-Forwarded-*` says is true. */
  readonly trustsProxyHeaders: boolean;
  /**
   * A folder for what is to be kept of this workload, of this user alone.
   * Absolute; it need not exist, and goes with the workload.
   */
  readonly directory: string;
}
