import {
  type Agent,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request as requestPlain,
} from 'node:http';
import { request as requestSecure } from 'node:https';
import { isPortolanError } from '@portolan/plugin-api';
import { backendTooSlow, backendUnreachable, redirectRefused } from '../../errors/backend-errors.ts';
import { recordOf } from './ask-credentials.ts';

export interface BackendQuestion {
  readonly url: URL;
  /** Headers, name and value alternating. */
  readonly headers: readonly string[];
  readonly body: string;
  readonly agent: Agent | undefined;
  readonly connectMs: number;
  readonly signal: AbortSignal;
}

/**
 * Posts a message of the proxy. Throws ERR_BACKEND_UNREACHABLE, ERR_SERVER_TIMED_OUT and
 * ERR_ANSWER_UNREADABLE.
 */
export function askBackend(question: BackendQuestion): Promise<IncomingMessage> {
  const { url, body, agent, connectMs, signal } = question;
  const send = url.protocol === 'https:' ? requestSecure : requestPlain;
  const headers: OutgoingHttpHeaders = { host: url.host };
  for (const [name, value] of Object.entries(recordOf(question.headers))) {
    headers[name] = typeof value === 'string' ? value : [...value];
  }
  headers['content-type'] = 'application/json';
  headers['content-length'] = Buffer.byteLength(body);
  return new Promise((resolve, reject) => {
    // Without an agent, nothing would close a kept connection.
    const sent = send(url, { method: 'POST', headers, agent: agent ?? false, signal });
    const timer = setTimeout(() => sent.destroy(backendTooSlow(connectMs)), connectMs);
    sent.once('socket', (socket) => {
      if (!socket.connecting) clearTimeout(timer);
      else socket.once('connect', () => clearTimeout(timer));
    });
    sent.once('close', () => clearTimeout(timer));
    sent.once('response', (response) => {
      const { statusCode = 502 } = response;
      if (statusCode < 300 || statusCode > 399) resolve(response);
      else {
        response.destroy();
        reject(redirectRefused('for a message of the proxy itself'));
      }
    });
    sent.on('error', (error) => reject(isPortolanError(error) ? error : backendUnreachable(error)));
    sent.end(body);
  });
}
