import type { PortolanError } from '@portolan/plugin-api';
import { ownGreeting, ownRequest } from '../era/own-request.ts';
import { isLegacyRevision } from '../era/revisions.ts';
import { findValue } from '../message/json-text.ts';
import {
  isJsonObject,
  memberOf,
  type MessageId,
  type RequestMessage,
  type ResponseMessage,
} from '../message/message.ts';
import { rewriteMessage } from '../message/rewrite-message.ts';
import type { ServerLink } from '../server/server-link.ts';

/** What a server said when it was greeted, kept for the clients that come later. */
export interface Greeting {
  readonly answer: ResponseMessage;
  readonly revision: string;
}

/**
 * Greets a server in the name of all clients: without capabilities, so that it
 * asks none of them anything. Rejects when the process ends or does not answer;
 * an error of the server is an answer too.
 */
export function greet(link: ServerLink, version: string): Promise<Greeting> {
  const message = ownRequest('initialize', ownGreeting(version));
  return new Promise((resolve, reject) => {
    link.request(message, {
      answered: (answer) => {
        if (!answer.isError) link.send('{"jsonrpc":"2.0","method":"notifications/initialized"}');
        resolve({ answer, revision: revisionOf(answer.result) });
      },
      progressed: () => undefined,
      failed: (error: PortolanError) => reject(error),
    });
  });
}

/** The revision a client gets: the one it asked for, if that is known and no newer than the server's. */
export function agreeRevision({ params }: RequestMessage, negotiated: string): string {
  const asked = memberOf(params, 'protocolVersion');
  const isUsable = typeof asked === 'string' && isLegacyRevision(asked) && asked <= negotiated;
  return isUsable ? asked : negotiated;
}

/** The kept greeting as the answer to one client. */
export function repeatGreeting({ answer }: Greeting, id: MessageId, revision: string): ResponseMessage {
  const replacements = [
    { path: ['id'], by: id.text },
    ...(findValue(answer.text, ['result', 'protocolVersion']) === undefined
      ? []
      : [{ path: ['result', 'protocolVersion'], by: JSON.stringify(revision) }]),
  ];
  return { ...answer, id, text: rewriteMessage(answer.text, replacements) };
}

function revisionOf(result: unknown): string {
  const version = isJsonObject(result) ? memberOf(result, 'protocolVersion') : undefined;
  return typeof version === 'string' ? version : '';
}
