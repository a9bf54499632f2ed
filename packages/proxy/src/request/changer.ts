/** Middleware that changed a message, and the callers on whose behalf. */
export interface Changer {
  readonly name: string;
  readonly by: readonly string[];
}
