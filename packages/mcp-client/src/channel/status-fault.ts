import { parseServerMessage } from '@portolan/mcp-protocol';
import { HttpFault, reasonOfStatus } from './http-fault.ts';
import { headerOf, type HttpReply } from './http-reply.ts';
import { parseRetryAfter } from './retry-delay.ts';

/** Creates the fault for a response with an error status and a body that is not the JSON-RPC response. */
export function statusFault(name: string, reply: HttpReply, body: string): HttpFault {
  const { status } = reply;
  const parsed = parseServerMessage(body);
  const why =
    typeof parsed === 'string'
      ? wordsOf(body)
      : `error ${parsed.kind === 'response' ? (parsed.errorCode ?? '') : ''}`;
  const about = why === '' ? '' : `: ${why}`;
  const delayMs = parseRetryAfter(headerOf(reply, 'retry-after'), headerOf(reply, 'date'));
  const challenge = headerOf(reply, 'www-authenticate');
  return new HttpFault(reasonOfStatus(status), `${name} responded with status ${status}${about}`, {
    status,
    ...(delayMs === undefined ? {} : { retryAfterSeconds: Math.ceil(delayMs / 1000) }),
    ...(challenge === undefined ? {} : { challenge }),
  });
}

function wordsOf(body: string): string {
  return body.trimStart().startsWith('<') ? '' : body.trim().slice(0, 300);
}
