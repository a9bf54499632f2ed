/** A call into a plugin did not come back. Goes into the error that names the plugin, as its cause. */
export function tookTooLong(limitMs: number): Error {
  return new Error(`it did not finish within ${limitMs / 1000} s`);
}
