import { classifyMessage, NOTHING_KNOWN } from '../era/classify-message.ts';
import { isModern } from '../era/revisions.ts';
import { parseClientBody } from '../message/parse-message.ts';
import type { Message, MessageId } from '../message/message.ts';

/** What could be made out of a body that is passed on whatever it is. */
export interface Peek {
  /** For the answer of the proxy itself, when the server gives none. */
  readonly id: MessageId | undefined;
  /** Whether it stands outside of any session, so that a session id with it is a mistake or a trick. */
  readonly isSessionless: boolean;
}

/** Looks at a body without refusing it: that is for the server, and for steps that have a policy to keep. */
export function peekBody(body: Buffer | undefined, version: string | undefined): Peek {
  const message = body === undefined ? undefined : tryParse(body);
  if (message === undefined) return { id: undefined, isSessionless: false };
  const id = message.kind === 'request' ? message.id : undefined;
  const isInitialize = message.kind !== 'response' && message.method === 'initialize';
  return { id, isSessionless: isInitialize || isOfModernEra(message, version) };
}

function tryParse(body: Buffer): Message | undefined {
  try {
    const parsed = parseClientBody(body);
    return parsed.form === 'message' ? parsed.message : undefined;
  } catch {
    return undefined; // not understood, which is no reason to refuse it here
  }
}

function isOfModernEra(message: Message, version: string | undefined): boolean {
  if (version !== undefined && isModern(version)) return true;
  try {
    const headers = { version, method: undefined, name: undefined };
    return classifyMessage(message, headers, NOTHING_KNOWN).era !== 'legacy';
  } catch {
    return true; // it claims to be Modern and gets it wrong
  }
}
