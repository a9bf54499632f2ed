/** A request as the outermost trusted proxy received it. Fields that it did not report are undefined. */
export interface ForwardedRequest {
  readonly address: string;
  readonly scheme: 'http' | 'https' | undefined;
  /** Includes a port other than the scheme's default. */
  readonly host: string | undefined;
  /** No trailing slash; empty when there is none. */
  readonly prefix: string;
}
