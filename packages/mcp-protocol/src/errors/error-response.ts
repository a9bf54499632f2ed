import type { PortolanError } from '@portolan/plugin-api';
import type { MessageId } from '../message/message.ts';

/** Details of an error response that differ from the defaults of the error's class. */
export interface ErrorResponseDetails {
  readonly id?: MessageId | undefined;
  readonly data?: unknown;
  readonly status?: number;
  readonly rpcCode?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Whether the proxy ends the event stream instead of sending this error. If it has sent no headers yet, it sends
   * an empty event stream, unless the client accepts JSON only.
   */
  readonly endsStream?: boolean;
}

export type ErrorWithResponse = PortolanError & { readonly errorResponse: ErrorResponseDetails };

export function responseDetailsOf(error: unknown): ErrorResponseDetails {
  // SAFETY: only `attachResponse` creates this field.
  return error instanceof Error && 'errorResponse' in error
    ? (error.errorResponse as ErrorResponseDetails)
    : {};
}

export function attachResponse(error: PortolanError, response: ErrorResponseDetails): ErrorWithResponse {
  return Object.assign(error, { errorResponse: response });
}
