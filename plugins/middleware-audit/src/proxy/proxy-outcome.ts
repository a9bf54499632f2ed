import type { MadeRefusal } from '@portolan/plugin-api';

/**
 * Outcome of a message. `begun` means that it is about to be forwarded; another line with the same id reports
 * the end.
 */
export type ProxyOutcome = 'begun' | 'success' | 'denied' | 'failure' | 'error' | 'application_error';

export interface Ending {
  /** HTTP status; 0 when the client disconnected before the response. */
  readonly status: number;
  readonly refusal: MadeRefusal | undefined;
  /** Whether the response is a JSON-RPC error. */
  readonly hasError: boolean;
}

/**
 * Returns the outcome of a call. The status of a refusal decides, because its HTTP response may be 200: a
 * policy denied the message for any status except 429 and 5xx.
 */
export function outcomeOf({ status, refusal, hasError }: Ending): ProxyOutcome {
  if (refusal === undefined && status >= 200 && status < 300)
    return hasError ? 'application_error' : 'success';
  const decided = refusal?.status ?? status;
  if (decided === 401 || decided === 403 || decided === 415) return 'denied';
  if (decided >= 500) return 'error';
  return refusal?.code === 'ERR_POLICY_REFUSED' && decided !== 429 ? 'denied' : 'failure';
}
