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
 * The outcome of one message, or of a request without any. Who was refused by a
 * policy is denied, whatever 4xx says so; but for 429, which says "later".
 */
export function outcomeOf({ status, refusal, hasError }: Ending): ProxyOutcome {
  const shown = refusal?.status ?? status;
  if (shown === 401 || shown === 403 || shown === 415) return 'denied';
  if (shown >= 200 && shown < 300) return hasError || refusal !== undefined ? 'application_error' : 'success';
  if (shown >= 500) return 'error';
  const isDenied = refusal?.code === 'ERR_POLICY_REFUSED' && shown >= 400 && shown !== 429;
  return isDenied ? 'denied' : 'failure';
}
