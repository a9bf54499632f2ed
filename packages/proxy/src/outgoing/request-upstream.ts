import { HttpFault, type HttpQuestion, type HttpReply, type HttpRequest } from '@portolan/mcp-client';
import {
  isConnectTimeout,
  type ResponseControl,
  type ResponseHandler,
  type Upstream,
} from '@portolan/outbound';
import type { Agent } from 'node:http';
import { pipeline } from 'node:stream';
import { backendTooSlow } from '../errors/backend-errors.ts';
import {
  followRedirect,
  isRedirect,
  statusError,
  toForwardError,
} from '../transparent/forward/forward-rules.ts';
import { decoderFor } from '../transparent/forward/decoded-body.ts';
import { headerIn } from '../transparent/forward/upstream-headers.ts';
import { recordOf } from '../transparent/forward/ask-credentials.ts';
import { ReplyBody } from './reply-body.ts';

export interface RequestRules {
  readonly target: URL;
  readonly connectMs: number;
  readonly agent: Agent | undefined;
}

/**
 * Returns a function that sends requests over the connections of `upstream`. It follows the redirects that
 * the reverse proxy follows. Its errors are instances of `HttpFault`.
 */
export function requestUpstream(upstream: Upstream, rules: RequestRules): HttpRequest {
  return (question) =>
    new Promise((resolve, reject) => {
      const { url } = question;
      new Exchange({ upstream, rules, question, resolve, reject }, url).send(false);
    });
}

interface ExchangeOptions {
  readonly upstream: Upstream;
  readonly rules: RequestRules;
  readonly question: HttpQuestion;
  readonly resolve: (reply: HttpReply) => void;
  readonly reject: (error: Error) => void;
}

class Exchange {
  readonly #options: ExchangeOptions;
  /** Names and values, alternating. */
  readonly #headers: readonly string[];
  #url: URL;
  #hops = 0;
  #control: ResponseControl | undefined;
  #body: ReplyBody | undefined;
  #isOver = false;
  readonly #leave = (): void => this.#end(this.#options.question.signal.reason);

  constructor(options: ExchangeOptions, url: URL) {
    this.#options = options;
    this.#url = url;
    this.#headers = Object.entries(options.question.headers).flat();
    options.question.signal.addEventListener('abort', this.#leave, { once: true });
  }

  send(isRepeated: boolean): void {
    const { upstream, question } = this.#options;
    if (question.signal.aborted) return this.#leave();
    const { method, body } = question;
    this.#control = undefined;
    upstream.send(
      {
        origin: this.#url.origin,
        method,
        path: this.#url.pathname + this.#url.search,
        headers: this.#headers,
        body: body === undefined ? undefined : Buffer.from(body),
      },
      this.#handler(isRepeated),
    );
  }

  #handler(isRepeated: boolean): ResponseHandler {
    let isPassedOver = false;
    return {
      sent: (control) => {
        this.#control = control;
        if (this.#isOver) control.abort(new Error('the request was cancelled'));
      },
      answered: (status, _reason, rawHeaders, control) => {
        // Interim responses belong to their connection.
        if (this.#isOver || isPassedOver || (status >= 100 && status < 200)) return;
        if (status < 100) return control.abort(statusError(status));
        const location = isRedirect(status) ? headerIn(rawHeaders, 'location') : undefined;
        if (location === undefined) return this.#answered(status, rawHeaders, control);
        isPassedOver = true;
        this.#follow(location);
      },
      received: (chunk) => {
        if (!isPassedOver) this.#body?.push(chunk);
      },
      ended: () => {
        if (isPassedOver) return;
        this.#settle();
        this.#body?.end();
      },
      failed: (error) => {
        if (!isPassedOver) this.#failed(error, isRepeated);
      },
    };
  }

  #answered(status: number, rawHeaders: readonly string[], control: ResponseControl): void {
    const bytes = new ReplyBody(control);
    this.#body = bytes;
    let body: AsyncIterable<Uint8Array>;
    try {
      body = decodeBody(bytes, headerIn(rawHeaders, 'content-encoding'));
    } catch (error) {
      return this.#end(new HttpFault('invalid-response', toForwardError(error).message, { cause: error }));
    }
    this.#options.resolve({
      status,
      headers: recordOf(rawHeaders),
      url: this.#url,
      body,
      discard: () => this.#end(new Error('the response was discarded')),
    });
  }

  #follow(location: string): void {
    const { rules } = this.#options;
    const to = followRedirect(this.#url, location, this.#hops, rules);
    if (!(to instanceof URL)) return this.#end(new HttpFault('invalid-response', to.message, { cause: to }));
    this.#hops += 1;
    this.#url = to;
    this.send(false);
  }

  #failed(error: Error, isRepeated: boolean): void {
    if (this.#isOver) return;
    const wasSent = this.#control !== undefined;
    const { question, rules } = this.#options;
    if (this.#body === undefined && wasSent && !isRepeated && question.isRepeatable && isBroken(error))
      return this.send(true);
    const cause = isConnectTimeout(error) ? backendTooSlow(rules.connectMs) : toForwardError(error);
    this.#end(new HttpFault(wasSent ? 'interrupted' : 'unreachable', cause.message, { cause }));
  }

  /** Ends the request with an error, unless it is complete. */
  #end(error: Error): void {
    if (this.#isOver) return;
    this.#settle();
    this.#control?.abort(error);
    this.#body?.end(error);
    this.#options.reject(error);
  }

  #settle(): void {
    this.#isOver = true;
    this.#options.question.signal.removeEventListener('abort', this.#leave);
  }
}

/** Throws ERR_ANSWER_UNREADABLE for an unsupported encoding. */
function decodeBody(bytes: ReplyBody, encoding: string | undefined): AsyncIterable<Uint8Array> {
  const decoder = decoderFor(encoding);
  if (decoder === undefined) return bytes;
  // The reader of the decoder gets the error.
  pipeline(bytes, decoder, () => undefined);
  return decoder;
}

/** Returns whether the server closed a reused connection at the moment of use. */
function isBroken(error: Error): boolean {
  return 'code' in error && ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(String(error.code));
}
