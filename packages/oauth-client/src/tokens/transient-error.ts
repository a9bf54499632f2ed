/** Codes of transient errors (RFC 6749, section 4.1.2.1; RFC 6585), followed by Slack's. */
const PASSING = [
  'temporarily_unavailable',
  'server_error',
  'slow_down',
  'too_many_requests',
  'ratelimited',
  'rate_limited',
  'internal_error',
  'fatal_error',
  'service_unavailable',
  'request_timeout',
];

const UNANSWERED = ['AbortError', 'TimeoutError', 'OAUTH_ABORT', 'OAUTH_TIMEOUT'];

export function isTransient(code: string | undefined, status: unknown): boolean {
  return (code !== undefined && PASSING.includes(code)) || status === 429 || Number(status) >= 500;
}

/**
 * Returns whether the authorization server gave no valid response: no connection, a timeout, or a server
 * error status.
 */
export function isUnanswered(error: unknown): boolean {
  for (let at = error; at !== undefined && at !== null; at = Object(at).cause) {
    if (at instanceof Response) return isTransient(undefined, at.status);
    if (!(at instanceof Error)) return false;
    const code = 'code' in at ? String(at.code) : '';
    if (UNANSWERED.includes(at.name) || UNANSWERED.includes(code)) return true;
    if (/^(?:E[A-Z]{3,}|UND_ERR_\w+|CERT_\w+|DEPTH_ZERO_\w+|SELF_SIGNED_\w+|UNABLE_TO_\w+)$/.test(code))
      return true;
  }
  return false;
}
