import type { PortolanError } from '@portolan/plugin-api';
import type { MessageId } from '../message/message.ts';

/** Details of an error response that differ from the defaults of the error's class. */
export interface AnswerDetails {
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

export type AnsweredError = PortolanError & { readonly answer: AnswerDetails };

export function answerDetailsOf(error: unknown): AnswerDetails {
  // SAFETY: only `answering` creates this field.
  return error instanceof Error && 'answer' in error ? (error.answer as AnswerDetails) : {};
}

export function answering(error: PortolanError, response: AnswerDetails): AnsweredError {
  return Object.assign(error, { answer: response });
}
