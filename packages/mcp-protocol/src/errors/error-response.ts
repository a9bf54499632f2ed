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
   * Whether the end of an event stream replaces this error. Before the response has begun, the client gets an
   * event stream that ends at once, unless it accepts JSON only.
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
