import { isJsonObject, type JsonObject } from '@portolan/plugin-api';
import type { KubeConfig, RequestContext } from '@kubernetes/client-node';
import type { Access } from '../access/read-kubeconfig.ts';
import { answerUnusable, clusterUnreachable, credentialsRefused, requestRefused } from '../errors.ts';
import { readEvents, type WatchEvent } from './read-events.ts';

/**
 * Maximum size of a response in bytes. A page has at most a hundred objects, which etcd limits to 1.5 MiB
 * each.
 */
const MAX_BYTES = 67_108_864;

/**
 * Returns the text of a response. Throws ERR_KUBERNETES_ANSWER for a larger one, because the server may not
 * be an API server.
 */
async function readBody(body: { stream(): AsyncIterable<Uint8Array> | null }): Promise<string> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of body.stream() ?? []) {
    size += piece.length;
    if (size > MAX_BYTES) throw answerUnusable(`more than ${MAX_BYTES} bytes at once`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

/** Timeout of a request other than a watch. */
const REQUEST_MS = 30_000;

export interface ClusterResponse {
  readonly status: number;
  readonly body: JsonObject;
}

export type Query = Readonly<Record<string, string>>;

/**
 * Client of one cluster, with its own connections. Close it soon, because it uses the tokens and certificates
 * of its creation.
 */
export class ClusterClient {
  readonly #library: typeof import('./client-library.ts');
  readonly #server: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #dispatcher: NonNullable<ReturnType<RequestContext['getDispatcher']>>;

  private constructor(
    library: typeof import('./client-library.ts'),
    server: string,
    { headers, dispatcher }: Login,
  ) {
    this.#library = library;
    this.#server = server;
    this.#headers = headers;
    this.#dispatcher = dispatcher;
  }

  static async open({ cluster, user }: Access): Promise<ClusterClient> {
    // Imported on demand, because it takes half a second and 90 MB, which servers without such a source
    // should not pay.
    const library = await import('./client-library.ts');
    const kubeconfig = new library.KubeConfig();
    kubeconfig.loadFromClusterAndUser(cluster, user);
    const request = new library.RequestContext(cluster.server, 'GET');
    return new ClusterClient(library, cluster.server, await logIn(kubeconfig, request));
  }

  /**
   * Returns responses of 200, 403, 404, 409 and 410, which callers handle. Throws ERR_SOURCE_UNREACHABLE,
   * _CREDENTIALS, _REQUEST and _ANSWER.
   */
  async get(path: string, query: Query, signal: AbortSignal): Promise<ClusterResponse> {
    return await this.#ask('GET', this.#address(path, query), undefined, signal);
  }

  async post(path: string, document: JsonObject, signal: AbortSignal): Promise<ClusterResponse> {
    return await this.#ask('POST', this.#address(path, {}), JSON.stringify(document), signal);
  }

  async statusOf(path: string, signal: AbortSignal): Promise<number> {
    const { httpStatusCode } = await this.#inTime('GET', this.#address(path, {}), undefined, signal);
    return httpStatusCode;
  }

  /**
   * Yields events from a version on, until the server ends the watch, which it does regularly, or the signal
   * aborts.
   */
  async *watch(
    path: string,
    query: Query,
    signal: AbortSignal,
  ): AsyncGenerator<WatchEvent, ClusterResponse | undefined> {
    const stop = new AbortController();
    const both = AbortSignal.any([signal, stop.signal]);
    try {
      const response = await this.#send(
        'GET',
        this.#address(path, { ...query, watch: 'true' }),
        undefined,
        both,
      );
      if (response.httpStatusCode !== 200)
        return answerOf(response.httpStatusCode, await readBody(response.body));
      const body = response.body.stream();
      if (body !== null) yield* readEvents(body, () => stop.abort());
      return undefined;
    } catch (error) {
      throw signal.aborted ? signal.reason : faultOf(error);
    } finally {
      stop.abort();
    }
  }

  async close(): Promise<void> {
    await this.#dispatcher.destroy();
  }

  #address(path: string, query: Query): string {
    return `${this.#server}${path}?${new URLSearchParams(query).toString()}`;
  }

  async #ask(
    method: 'GET' | 'POST',
    address: string,
    body: string | undefined,
    signal: AbortSignal,
  ): Promise<ClusterResponse> {
    const { httpStatusCode, text } = await this.#inTime(method, address, body, signal);
    return answerOf(httpStatusCode, text);
  }

  async #inTime(method: 'GET' | 'POST', address: string, body: string | undefined, signal: AbortSignal) {
    signal.throwIfAborted();
    try {
      const both = AbortSignal.any([signal, AbortSignal.timeout(REQUEST_MS)]);
      const { httpStatusCode, body: response } = await this.#send(method, address, body, both);
      return { httpStatusCode, text: await readBody(response) };
    } catch (error) {
      throw signal.aborted ? signal.reason : faultOf(error);
    }
  }

  async #send(method: 'GET' | 'POST', address: string, body: string | undefined, signal: AbortSignal) {
    const request = new this.#library.RequestContext(address, method);
    for (const [name, value] of Object.entries(this.#headers)) request.setHeaderParam(name, value);
    request.setHeaderParam('accept', 'application/json');
    request.setHeaderParam('user-agent', 'portolan');
    if (body !== undefined) {
      request.setHeaderParam('content-type', 'application/json');
      request.setBody(body);
    }
    request.setDispatcher(this.#dispatcher);
    request.setSignal(signal);
    return await new this.#library.IsomorphicFetchHttpLibrary().send(request).toPromise();
  }
}

interface Login {
  readonly headers: Readonly<Record<string, string>>;
  readonly dispatcher: NonNullable<ReturnType<RequestContext['getDispatcher']>>;
}

/** Logs in once. The client library would open new connections for each request and leave them open. */
async function logIn(kubeconfig: KubeConfig, request: RequestContext): Promise<Login> {
  try {
    await kubeconfig.applySecurityAuthentication(request);
  } catch (error) {
    throw clusterUnreachable('the credentials cannot be read', error);
  }
  const dispatcher = request.getDispatcher();
  if (dispatcher === undefined) throw new Error('a cluster without a certificate authority');
  return { headers: request.getHeaders(), dispatcher };
}

const MEANT = new Set([200, 201, 403, 404, 409, 410]);

function answerOf(status: number, text: string): ClusterResponse {
  if (status === 401) throw credentialsRefused();
  if (status === 400 || status === 422) throw requestRefused(status);
  if (!MEANT.has(status)) throw answerUnusable(`status ${status}`);
  const body = parsed(text);
  if (body === undefined && status === 200) throw answerUnusable('something else than JSON');
  return { status, body: body ?? {} };
}

function parsed(text: string): JsonObject | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return isJsonObject(body) ? body : undefined;
  } catch {
    return undefined;
  }
}

/** Returns the cause of an error of `fetch`, which has the details. */
function faultOf(error: unknown): unknown {
  if (error instanceof Error && 'hint' in error) return error;
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  const isTimeout = error instanceof Error && error.name === 'TimeoutError';
  const code: unknown = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  return clusterUnreachable(isTimeout ? `no response in ${REQUEST_MS / 1000} s` : codeOf(code), error);
}

function codeOf(code: unknown): string {
  return typeof code === 'string' && /^[A-Z0-9_]+$/.test(code) ? code : 'the connection broke';
}
