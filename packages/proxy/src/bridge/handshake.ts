import {
  ownGreeting,
  ownRequest,
  otherRevision,
  isLegacyRevision,
  NEWEST_LEGACY,
  findValue,
  isJsonObject,
  memberOf,
  type MessageId,
  type RequestMessage,
  type ResponseMessage,
  rewriteMessage,
} from '@portolan/mcp-protocol';
import type { PortolanError } from '@portolan/plugin-api';
import type { ServerLink } from '../server/server-link.ts';

export interface Greeting {
  readonly response: ResponseMessage;
  readonly revision: string;
}

/**
 * Sends `initialize` without capabilities, so that the server sends no requests. Tries other revisions when
 * one is refused; resolves with the first error when all are.
 */
export async function greet(link: ServerLink, version: string): Promise<Greeting> {
  const tried: string[] = [];
  let refused: Greeting | undefined;
  for (let next: string | undefined = NEWEST_LEGACY; next !== undefined; ) {
    const greeting = await greetOnce(link, version, next);
    if (!greeting.response.isError) return greeting;
    refused ??= greeting;
    tried.push(next);
    next = otherRevision(errorOf(greeting.response), tried);
  }
  // SAFETY: the loop runs at least once.
  return refused as Greeting;
}

function greetOnce(link: ServerLink, version: string, revision: string): Promise<Greeting> {
  const message = ownRequest('initialize', ownGreeting(version, revision));
  return new Promise((resolve, reject) => {
    link.request(message, {
      answered: (response) => {
        if (!response.isError) link.send('{"jsonrpc":"2.0","method":"notifications/initialized"}');
        resolve({ response, revision: revisionOf(response.result) });
      },
      progressed: () => undefined,
      failed: (error: PortolanError) => reject(error),
    });
  });
}

function errorOf({ text }: ResponseMessage): unknown {
  return memberOf(JSON.parse(text), 'error');
}

/** Returns the requested revision if it is known and not newer than the server's, otherwise the server's. */
export function agreeRevision({ params }: RequestMessage, negotiated: string): string {
  const request = memberOf(params, 'protocolVersion');
  const isUsable = typeof request === 'string' && isLegacyRevision(request) && request <= negotiated;
  return isUsable ? request : negotiated;
}

export function repeatGreeting({ response }: Greeting, id: MessageId, revision: string): ResponseMessage {
  const replacements = [
    { path: ['id'], by: id.text },
    ...(findValue(response.text, ['result', 'protocolVersion']) === undefined
      ? []
      : [{ path: ['result', 'protocolVersion'], by: JSON.stringify(revision) }]),
  ];
  return { ...response, id, text: rewriteMessage(response.text, replacements) };
}

function revisionOf(result: unknown): string {
  const version = isJsonObject(result) ? memberOf(result, 'protocolVersion') : undefined;
  return typeof version === 'string' ? version : '';
}
