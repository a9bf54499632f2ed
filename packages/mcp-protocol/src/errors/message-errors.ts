import { MAX_CLIENT_NODES, MAX_ELEMENTS } from '../message/count-values.ts';
import { PortolanError } from '@portolan/plugin-api';
import type { MessageId } from '../message/message.ts';
import { answering } from './answered-error.ts';

/** The body of a POST is no text, or no JSON. */
export function messageNotJson(fault: string, cause: unknown): PortolanError {
  return answering(
    new PortolanError('ERR_MESSAGE_NOT_JSON', 'mistake', `The message cannot be read: ${fault}.`, {
      hint: 'Send one JSON-RPC message as JSON in UTF-8.',
      cause,
    }),
    { rpcCode: -32700 },
  );
}

/** Two programs could read the message differently, so that what was checked is not what is run. */
export function messageAmbiguous(fault: string): PortolanError {
  return new PortolanError('ERR_MESSAGE_AMBIGUOUS', 'mistake', `The message is refused: ${fault}.`, {
    hint: 'Write each member once, by its exact name, and nest less deeply.',
  });
}

/** The body of a POST is JSON, but no message of JSON-RPC 2.0. */
export function messageInvalid(fault: string, id?: MessageId): PortolanError {
  const error = new PortolanError(
    'ERR_MESSAGE_INVALID',
    'mistake',
    `This is no JSON-RPC 2.0 message: ${fault}.`,
    { hint: 'Send a request, a notification or a response of JSON-RPC 2.0.' },
  );
  return answering(error, { id });
}

/** A batch where revisions allow none, or one that breaks the rules of 2025-03-26. */
export function batchInvalid(fault: string, cause?: unknown): PortolanError {
  return new PortolanError(
    'ERR_MESSAGE_INVALID',
    'mistake',
    `JSON-RPC batch requests are not supported here: ${fault}.`,
    {
      hint: 'Send each message in a request of its own.',
      cause,
    },
  );
}

/** The message has too many values: to parse it would delay all other callers. */
export function messageTooComplex(): PortolanError {
  return answering(
    new PortolanError(
      'ERR_MESSAGE_TOO_LARGE',
      'mistake',
      `The message has more than ${MAX_CLIENT_NODES} objects, lists and names, or more than ${MAX_ELEMENTS} elements.`,
      { hint: 'Send less in one message, or send large data as one string.' },
    ),
    { status: 413, headers: { Connection: 'close' } },
  );
}
