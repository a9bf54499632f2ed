import { ENTRY_STATUSES, type JsonObject } from '@portolan/plugin-api';
import type { StatusChange } from '@portolan/registry';
import { bodyInvalid } from '../errors.ts';
import { unknownKeys } from '../request/unknown-keys.ts';

const MAX_MESSAGE_LENGTH = 500;
const HINT = 'Send {"status": "deprecated", "statusMessage": "Use com.acme/notes2"}.';

/** Parses a status change. Throws ERR_BODY_INVALID with every problem. */
export function parseStatusChange(body: JsonObject): StatusChange {
  const { status: input, statusMessage: message } = body;
  const status = ENTRY_STATUSES.find((known) => known === input);
  const problems: string[] = [...unknownKeys(body, ['status', 'statusMessage'])];
  if (status === undefined) problems.push(`status is none of ${ENTRY_STATUSES.join(', ')}.`);
  if (message !== undefined && message !== null && typeof message !== 'string')
    problems.push('statusMessage is no text.');
  if (typeof message === 'string' && Array.from(message).length > MAX_MESSAGE_LENGTH)
    problems.push(`statusMessage has more than ${MAX_MESSAGE_LENGTH} characters.`);
  if (status === 'active' && typeof message === 'string')
    problems.push('An active version has no statusMessage; going back to active takes it away.');
  if (problems.length > 0 || status === undefined) throw bodyInvalid(problems, HINT);
  return typeof message === 'string' || message === null ? { status, message } : { status };
}
