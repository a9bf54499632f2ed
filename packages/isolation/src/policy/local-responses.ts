import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseEgressHost } from '@portolan/outbound';
import { type EgressRefusal, refuse } from './egress-event.ts';

/** Response that the proxy itself sends for a made-up host name. */
export interface LocalResponse {
  /** Rule to report in the event, as if a rule had allowed the request. */
  readonly rule: string;
  readonly text: string;
}

/**
 * One-time responses by name: the first plain HTTP GET to port 80 of the name gets the text, for any path. Nothing
 * is dialled.
 */
export class OwnAnswers {
  readonly #answers: ReadonlyMap<string, LocalResponse>;
  readonly #sent = new Set<string>();

  constructor(answers: ReadonlyMap<string, LocalResponse>) {
    this.#answers = answers;
  }

  respond(request: IncomingMessage, response: ServerResponse): SentResponse | undefined {
    const { method = '', url: written = '' } = request;
    const url = /^http:\/\//i.test(written) ? URL.parse(written) : null;
    const host = url === null ? undefined : parseEgressHost(url.hostname);
    const match = host === undefined ? undefined : this.#answers.get(host.text);
    if (host === undefined || url === null || match === undefined) return undefined;
    const decision = this.#decide(host.text, { method, port: url.port }, match);
    request.resume();
    const isAllowed = decision.allowed;
    response.writeHead(isAllowed ? 200 : 403, {
      'Content-Type': 'text/plain; charset=utf-8',
      'Cache-Control': 'no-store',
      Connection: 'close',
    });
    response.end(isAllowed ? match.text : `${decision.text}\n`);
    return { host: host.text, port: url.port === '' ? 80 : Number(url.port), decision };
  }

  #decide(
    name: string,
    { method, port }: { readonly method: string; readonly port: string },
    { rule }: LocalResponse,
  ): SentResponse['decision'] {
    if (method !== 'GET' || port !== '')
      return refuse('request-invalid', `${name} answers GET on port 80 alone`);
    if (this.#sent.has(name)) return refuse('answered-before', `${name} answers once, and has`);
    this.#sent.add(name);
    return { allowed: true, by: rule };
  }
}

export interface SentResponse {
  readonly host: string;
  readonly port: number;
  readonly decision: EgressRefusal | { readonly allowed: true; readonly by: string };
}
