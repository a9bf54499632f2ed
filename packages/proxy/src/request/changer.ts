/** Proxy middleware that has changed a message, and those on whose behalf. */
export interface Changer {
  readonly name: string;
  readonly by: readonly string[];
}
