import {
  type ResponseControl,
  type ResponseHandler,
  isConnectTimeout,
  openUpstream,
  type Upstream,
} from '@portolan/outbound';
import type { PortolanError } from '@portolan/plugin-api';
import type { Agent, ServerResponse } from 'node:http';
import { backendTooSlow } from '../../errors/backend-errors.ts';
import { followRedirect, isRedirect, statusError, toForwardError } from './forward-rules.ts';
import { headerIn } from './upstream-headers.ts';

export interface Forwarding {
  readonly method: string;
  readonly url: URL;
  readonly path: string;
  /** Headers, name and value alternating. */
  readonly headers: readonly string[];
  readonly body: Buffer | undefined;
  /** Returns whether to repeat the request when the connection broke before a response. */
  readonly isRepeatable: () => boolean;
  /** Forwards the headers of the response to the client. Returns the receiver of the body. */
  readonly answered: (head: UpstreamHead, url: URL) => ResponseSink;
  /** Called when there will be no response, but not after the client has disconnected. */
  readonly failed: (error: PortolanError) => void;
}

export interface ResponseBody {
  /** Writes a chunk. Returns false when the writer must wait for `drain`. */
  write(chunk: Buffer): boolean;
  end(): unknown;
  once(event: 'drain', then: () => void): unknown;
}

export interface ResponseSink {
  readonly body: ResponseBody;
  readonly trailers: (rawTrailers: readonly string[]) => void;
}

export interface Forwarder {
  forward(response: ServerResponse, forwarding: Forwarding): void;
  close(): void;
}

export interface ForwarderOptions {
  readonly target: URL;
  readonly connectMs: number;
  readonly agent: Agent | undefined;
}

export async function openForwarder(forwarder: ForwarderOptions): Promise<Forwarder> {
  const upstream = await openUpstream(forwarder);
  return {
    forward: (response, forwarding) => {
      const options = { forwarder, upstream, response, forwarding, isRepeated: false };
      new Passing(options, forwarding.url, 0).send(forwarding.path);
    },
    close: () => void upstream.close(),
  };
}

interface PassingOptions {
  readonly forwarder: ForwarderOptions;
  readonly upstream: Upstream;
  readonly response: ServerResponse;
  readonly forwarding: Forwarding;
  readonly isRepeated: boolean;
}

class Passing implements ResponseHandler {
  readonly #options: PassingOptions;
  readonly #url: URL;
  readonly #hops: number;
  #path = '';
  #control: ResponseControl | undefined;
  #sink: ResponseSink | undefined;
  #isOver = false;
  #isPassedOver = false;

  constructor(options: PassingOptions, url: URL, hops: number) {
    this.#options = options;
    this.#url = url;
    this.#hops = hops;
    options.response.once('close', () => this.#leave());
  }

  send(path: string): void {
    this.#path = path;
    const { method, headers, body } = this.#options.forwarding;
    this.#options.upstream.send({ origin: this.#url.origin, method, path, headers, body }, this);
  }

  sent(control: ResponseControl): void {
    this.#control = control;
    if (this.#isOver) control.abort(new Error(LEFT));
  }

  answered(status: number, reason: string, rawHeaders: readonly string[], control: ResponseControl): void {
    // Interim responses belong to their connection.
    if (this.#isOver || (status >= 100 && status < 200)) return;
    if (status < 100) return control.abort(statusError(status));
    const location = isRedirect(status) ? headerIn(rawHeaders, 'location') : undefined;
    if (location !== undefined) return this.#follow(location);
    this.#sink = this.#options.forwarding.answered({ status, reason, rawHeaders }, this.#url);
  }

  received(chunk: Buffer, control: ResponseControl): void {
    const body = this.#sink?.body;
    if (body === undefined || body.write(chunk)) return;
    control.pause();
    body.once('drain', () => control.resume());
  }

  ended(rawTrailers: readonly string[]): void {
    this.#isOver = true;
    this.#sink?.trailers(rawTrailers);
    this.#sink?.body.end();
  }

  failed(error: Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    const { forwarder, response, forwarding, isRepeated } = this.#options;
    if (this.#isPassedOver) return;
    if (response.destroyed || response.headersSent) response.destroy();
    else if (!isRepeated && isBroken(error) && this.#sink === undefined && forwarding.isRepeatable())
      new Passing({ ...this.#options, isRepeated: true }, this.#url, this.#hops).send(this.#path);
    else if (isConnectTimeout(error)) forwarding.failed(backendTooSlow(forwarder.connectMs));
    else forwarding.failed(toForwardError(error));
  }

  #follow(location: string): void {
    this.#isPassedOver = true;
    const { forwarder, forwarding, response } = this.#options;
    const to = followRedirect(this.#url, location, this.#hops, forwarder);
    if (!(to instanceof URL)) return forwarding.failed(to);
    // Each redirect adds a listener for the end of the response.
    response.setMaxListeners(100);
    new Passing(this.#options, to, this.#hops + 1).send(to.pathname + to.search);
  }

  #leave(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#control?.abort(new Error(LEFT));
  }
}

const LEFT = 'the client has disconnected';

/** Returns whether the server closed a reused connection at the moment of use. */
function isBroken(error: Error): boolean {
  return 'code' in error && ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET'].includes(String(error.code));
}

export interface UpstreamHead {
  readonly status: number;
  readonly reason: string;
  readonly rawHeaders: readonly string[];
}
