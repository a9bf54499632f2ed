import type { PortolanError } from '@portolan/plugin-api';
import type { MessageId } from '../message/message.ts';

/** What an answer says beside the text, and where HTTP or MCP has something more exact than the class of the error. */
export interface AnswerDetails {
  readonly id?: MessageId | undefined;
  readonly data?: unknown;
  readonly status?: number;
  /** Of the JSON-RPC error. */
  readonly rpcCode?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Whether an event stream ends without this error. A response that has not begun becomes
   * such a stream, unless the client accepts JSON alone.
   */
  readonly endsStream?: boolean;
}

export type AnsweredError = PortolanError & { readonly answer: AnswerDetails };

/** What an error adds to its JSON-RPC answer; nothing for errors of others. */
export function answerDetailsOf(error: unknown): AnswerDetails {
  // SAFETY: the field is made below and nowhere else.
  return error instanceof Error && 'answer' in error ? (error.answer as AnswerDetails) : {};
}

/** Gives an error what its answer says beside the text. */
export function answering(error: PortolanError, answer: AnswerDetails): AnsweredError {
  return Object.assign(error, { answer });
}
