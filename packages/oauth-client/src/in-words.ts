/**
 * Converts a thrown value to text. The library attaches responses, including tokens, as causes of its errors,
 * and logs write causes.
 */
export function inWords(thrown: unknown): unknown {
  if (!(thrown instanceof Error))
    return thrown === undefined ? undefined : new Error('a value that is not an error was thrown');
  if (thrown.cause === undefined) return thrown;
  const cause = thrown.cause instanceof Error ? inWords(thrown.cause) : undefined;
  if (cause === thrown.cause) return thrown;
  const { name, message, stack } = thrown;
  const copy = new Error(message, cause === undefined ? {} : { cause });
  const code = 'code' in thrown ? { code: thrown.code } : {};
  return Object.assign(copy, { name, stack, ...code, ...answeredCode(thrown) });
}

/**
 * Returns the server's error code (RFC 6749, section 5.2), by which `oauthErrorOf` distinguishes refusals.
 */
function answeredCode(thrown: Error): { readonly error?: string } {
  if (!('error' in thrown) || typeof thrown.error !== 'string') return {};
  return /^[ !#-[\]-~]{1,100}$/.test(thrown.error) ? { error: thrown.error } : {};
}
