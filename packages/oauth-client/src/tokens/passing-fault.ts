/** Codes of transient errors (RFC 6749, section 4.1.2.1; RFC 6585), and those of Slack below them. */
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

/** What `fetch` and the library call a question that nobody has answered in time. */
const UNANSWERED = ['AbortError', 'TimeoutError', 'OAUTH_ABORT', 'OAUTH_TIMEOUT'];

/** Whether a code, or the status that it came with, says that the same question may be answered later. */
export function isPassing(code: string | undefined, status: unknown): boolean {
  return (code !== undefined && PASSING.includes(code)) || status === 429 || Number(status) >= 500;
}

/** Whether an error says that no answer came: no connection, none in time, or none but a status of the server's own trouble. */
export function isUnanswered(error: unknown): boolean {
  for (let at = error; at !== undefined && at !== null; at = Object(at).cause) {
    if (at instanceof Response) return isPassing(undefined, at.status);
    if (!(at instanceof Error)) return false;
    const code = 'code' in at ? String(at.code) : '';
    if (UNANSWERED.includes(at.name) || UNANSWERED.includes(code)) return true;
    // Of the system, of the library that connects, and of TLS.
    if (/^(?:E[A-Z]{3,}|UND_ERR_\w+|CERT_\w+|DEPTH_ZERO_\w+|SELF_SIGNED_\w+|UNABLE_TO_\w+)$/.test(code))
      return true;
  }
  return false;
}
