import type { MadeRefusal } from '@portolan/plugin-api';

/** How what was asked for ended. `begun`: it is about to be handed on, and its end is another line with the same id. */
export type ProxyOutcome = 'begun' | 'success' | 'denied' | 'failure' | 'error' | 'application_error';

/** What is known of an end. */
export interface Ending {
  /** Of the HTTP answer; 0 where the client left before there was one. */
  readonly status: number;
  readonly refusal: MadeRefusal | undefined;
  /** Whether the answer of the server is a JSON-RPC error. */
  readonly hasError: boolean;
}

/**
 * Returns the outcome of one message, or of a request without messages. A refusal decides by its own status, since
 * its response over HTTP may be 200: a policy has denied the message whatever the status is, except 429 and 5xx.
 */
export function outcomeOf({ status, refusal, hasError }: Ending): ProxyOutcome {
  if (refusal === undefined && status >= 200 && status < 300)
    return hasError ? 'application_error' : 'success';
  const decided = refusal?.status ?? status;
  if (decided === 401 || decided === 403 || decided === 415) return 'denied';
  if (decided >= 500) return 'error';
  return refusal?.code === 'ERR_POLICY_REFUSED' && decided !== 429 ? 'denied' : 'failure';
}
