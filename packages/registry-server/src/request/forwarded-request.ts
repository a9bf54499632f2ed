/** A request as the outermost trusted proxy received it. Fields that it did not report are undefined. */
export interface ForwardedRequest {
  /** Address of the sender. */
  readonly address: string;
  readonly scheme: 'http' | 'https' | undefined;
  /** Host, with a port other than the scheme's default. */
  readonly host: string | undefined;
  /** Prefix of the path, without a trailing slash; empty when there is none. */
  readonly prefix: string;
}
