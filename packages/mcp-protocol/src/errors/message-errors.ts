import { MAX_CLIENT_NODES, MAX_ELEMENTS } from '../message/count-values.ts';
import { PortolanError } from '@portolan/plugin-api';
import type { MessageId } from '../message/message.ts';
import { attachResponse } from './error-response.ts';

/** Creates the error for a POST body that is not UTF-8 or not JSON. */
export function messageNotJson(fault: string, cause: unknown): PortolanError {
  return attachResponse(
    new PortolanError('ERR_MESSAGE_NOT_JSON', 'mistake', `The message cannot be read: ${fault}.`, {
      hint: 'Send one JSON-RPC message as JSON in UTF-8.',
      cause,
    }),
    { rpcCode: -32700 },
  );
}

/**
 * Creates the error for a message that two programs could parse differently, so that the server might execute
 * a different message than the policies checked.
 */
export function messageAmbiguous(fault: string): PortolanError {
  return new PortolanError('ERR_MESSAGE_AMBIGUOUS', 'mistake', `The message is refused: ${fault}.`, {
    hint: 'Write each member once, with its exact name, and reduce the nesting.',
  });
}

/** Creates the error for a POST body with JSON that is not a JSON-RPC 2.0 message. */
export function messageInvalid(fault: string, id?: MessageId): PortolanError {
  const error = new PortolanError(
    'ERR_MESSAGE_INVALID',
    'mistake',
    `This is not a JSON-RPC 2.0 message: ${fault}.`,
    { hint: 'Send a request, a notification or a response of JSON-RPC 2.0.' },
  );
  return attachResponse(error, { id });
}

/**
 * Creates the error for a batch in a revision without batches, or one that violates the rules of 2025-03-26.
 */
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

/** Creates the error for a message with too many values, whose parsing would delay all other callers. */
export function messageTooComplex(): PortolanError {
  return attachResponse(
    new PortolanError(
      'ERR_MESSAGE_TOO_LARGE',
      'mistake',
      `The message has more than ${MAX_CLIENT_NODES} objects, lists and names, or more than ${MAX_ELEMENTS} elements.`,
      { hint: 'Send less data in one message, or send large data as one string.' },
    ),
    { status: 413, headers: { Connection: 'close' } },
  );
}
