import type { PortolanError } from '@portolan/plugin-api';
import type { MessageId } from '../message/message.ts';

/** Details of an error response where HTTP or MCP is more specific than the error class. */
export interface AnswerDetails {
  readonly id?: MessageId | undefined;
  readonly data?: unknown;
  readonly status?: number;
  readonly rpcCode?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Whether an event stream ends without this error. Before a response, it becomes such a stream, unless the
   * client accepts JSON only.
   */
  readonly endsStream?: boolean;
}

export type AnsweredError = PortolanError & { readonly answer: AnswerDetails };

export function answerDetailsOf(error: unknown): AnswerDetails {
  // SAFETY: only `answering` creates this field.
  return error instanceof Error && 'answer' in error ? (error.answer as AnswerDetails) : {};
}

export function answering(error: PortolanError, answer: AnswerDetails): AnsweredError {
  return Object.assign(error, { answer });
}
