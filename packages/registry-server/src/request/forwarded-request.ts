/** A request as it came to the outermost proxy that is trusted; fields it did not tell are undefined. */
export interface ForwardedRequest {
  /** Of the sender. */
  readonly address: string;
  readonly scheme: 'http' | 'https' | undefined;
  /** Host, with its port where that is not the scheme's own. */
  readonly host: string | undefined;
  /** What stood before the path, without a slash at its end; empty when nothing did. */
  readonly prefix: string;
}
