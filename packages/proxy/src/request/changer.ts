/** Proxy middleware that changed a message, with the callers on whose behalf it did so. */
export interface Changer {
  readonly name: string;
  readonly by: readonly string[];
}
