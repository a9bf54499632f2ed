import type { Refusal } from '@portolan/plugin-api';

/** Refusals of a webhook. They never contain its text. */
export interface WebhookRefusals {
  readonly denied: Refusal;
  /** Refusal after status 422. */
  readonly unprocessable: Refusal;
  /** Refusal after a failure, when the failure policy refuses. */
  readonly failed: Refusal;
}

export const VALIDATING: WebhookRefusals = {
  denied: { message: 'Request denied by policy', status: 403, code: 403 },
  unprocessable: { message: 'Request denied by policy', status: 403, code: 403 },
  failed: { message: 'Request denied by policy', status: 403, code: 403 },
};

export const MUTATING: WebhookRefusals = {
  denied: { message: 'Request denied by webhook policy', status: 403, code: 403 },
  unprocessable: { message: 'Request denied by webhook policy', status: 422, code: 403 },
  failed: { message: 'The request could not be processed', status: 500, code: -32603 },
};

export const TOO_LARGE: Refusal = { message: 'Request body too large', status: 413, code: -32600 };
