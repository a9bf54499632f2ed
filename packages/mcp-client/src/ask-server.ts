import {
  OWN_REQUEST_HEADER,
  type OwnRequests,
  MESSAGE_TYPES,
  ownGreeting,
  ownParams,
  NEWEST_MODERN,
  findExcess,
  MAX_SERVER_NODES,
  EventReader,
  isEventStreamType,
  INTERNAL_ERROR,
} from '@portolan/mcp-protocol';
import { type Agent, type IncomingMessage, request as openRequest } from 'node:http';
import { messageAddressOf } from './message-address.ts';

/**
 * Result of a readiness check. `answered`: the server responded. `refused`: the address requires credentials.
 * `nothing`: no usable response.
 */
export type ProbeResult =
  | { readonly outcome: 'answered' | 'refused' }
  | {
      readonly outcome: 'nothing';
      readonly why: string;
      readonly status?: number;
      /** Transport that the server has instead of streamable HTTP. */
      readonly speaks?: 'sse';
    };

export interface AskOptions {
  readonly url: URL;
  readonly speaks: 'streamable-http' | 'sse';
  /** Prefix of the paths that clients behind a reverse proxy use. Local requests leave it out. */
  readonly endpointPrefix: string;
  readonly version: string;
  /** Keys, each for one request, that replace a login. Default: the requests are like those of any client. */
  readonly ownRequests?: OwnRequests;
  /** Agent that opens the connections. Default: a new connection for each request. */
  readonly agent?: Agent;
  /** Headers of every request. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

const ID = 'portolan-ready';
const MAX_BYTES = 8 * 1024 * 1024;
/** HTTP statuses by which a server may refuse a revision. 404 and 405 may also mean a wrong path. */
const REFUSING: ReadonlySet<number> = new Set([200, 400, 406, 409, 415, 422, 426]);
const END_MS = 2000;
/** Maximum time for the first event of a stream, in ms. */
const STREAM_MS = 2000;

/**
 * Checks once, through the workload's proxy, whether a server is ready: sends `initialize`, then
 * `server/discover`. A JSON-RPC error other than an internal one counts as ready, because some servers reject
 * a revision without naming their own.
 */
export async function askServer(options: AskOptions): Promise<ProbeResult> {
  try {
    if (options.speaks === 'sse') return await askByEvents(options);
    const posted = await askByPost(options, initialize(options.version));
    if (posted.outcome !== 'nothing' || !posted.mayDiscover) return posted;
    const discovered = await askByPost(options, discover(options.version), {
      'Mcp-Protocol-Version': NEWEST_MODERN,
      'Mcp-Method': 'server/discover',
    });
    if (discovered.outcome !== 'nothing') return discovered;
    return (await announcesEvents(options, posted)) ? { ...posted, speaks: 'sse' } : posted;
  } catch (error) {
    options.signal.throwIfAborted();
    return { outcome: 'nothing', why: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * Returns whether a server that has no POST at this address opens an event stream there, whose first event
 * names the endpoint of HTTP+SSE.
 */
async function announcesEvents(options: AskOptions, { outcome, ...posted }: ProbeResult): Promise<boolean> {
  const status = outcome === 'nothing' && 'status' in posted ? posted.status : undefined;
  if (status !== 404 && status !== 405) return false;
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(STREAM_MS)]);
  try {
    const stream = await send({ ...options, signal }, { url: options.url, method: 'GET' });
    try {
      if (stream.statusCode !== 200 || !isEventStreamType(stream.headers['content-type'])) return false;
      for await (const { event } of readEvents(stream)) return event === 'endpoint';
      return false;
    } finally {
      stream.destroy();
    }
  } catch {
    options.signal.throwIfAborted();
    return false;
  }
}

function initialize(version: string): object {
  return { jsonrpc: '2.0', id: ID, method: 'initialize', params: ownGreeting(version) };
}

function discover(version: string): object {
  return { jsonrpc: '2.0', id: ID, method: 'server/discover', params: ownParams(version) };
}

type Posted = ProbeResult & { readonly mayDiscover?: boolean };

async function askByPost(
  options: AskOptions,
  message: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Posted> {
  const { url } = options;
  const response = await send(options, { url, method: 'POST', headers, message });
  try {
    const status = response.statusCode ?? 0;
    if (status === 401 || status === 403) return { outcome: 'refused' };
    const reply = await readProbeResponse(response);
    if (status >= 200 && status < 300 && reply?.isError === false) return { outcome: 'answered' };
    if (REFUSING.has(status) && reply?.isRefusal === true) return { outcome: 'answered' };
    const text = reply === undefined ? '' : `, ${reply.text}`;
    return {
      outcome: 'nothing',
      why: `it responded with status ${status}${text}`,
      status,
      mayDiscover: [200, 400, 404, 405].includes(status),
    };
  } finally {
    response.destroy();
    await endSession(options, response.headers['mcp-session-id']);
  }
}

async function endSession(options: AskOptions, session: string | string[] | undefined): Promise<void> {
  if (typeof session !== 'string') return;
  const { url, signal } = options;
  const late = AbortSignal.any([signal, AbortSignal.timeout(END_MS)]);
  try {
    const headers = { 'Mcp-Session-Id': session };
    const ended = await send({ ...options, signal: late }, { url, method: 'DELETE', headers });
    ended.destroy();
  } catch {
    signal.throwIfAborted();
  }
}

async function askByEvents(options: AskOptions): Promise<ProbeResult> {
  const stream = await send(options, { url: options.url, method: 'GET' });
  try {
    const status = stream.statusCode ?? 0;
    if (status === 401 || status === 403) return { outcome: 'refused' };
    if (status !== 200) return { outcome: 'nothing', why: `it responded with status ${status}`, status };
    const events = readEvents(stream);
    for await (const { event, data } of events) {
      if (data === undefined) continue;
      const response = event === 'endpoint' ? undefined : answerIn(data);
      if (response?.isError === true && !response.isRefusal)
        return { outcome: 'nothing', why: `it responded with an error: ${response.text}` };
      if (response !== undefined) return { outcome: 'answered' };
      const failed =
        event === 'endpoint' ? await postInitialize(messageAddressOf(data, options), options) : undefined;
      if (failed !== undefined) return failed;
    }
    return { outcome: 'nothing', why: 'its event stream ended' };
  } finally {
    stream.destroy();
  }
}

/** Posts `initialize`. Returns undefined when the response will come on the stream. */
async function postInitialize(url: URL, options: AskOptions): Promise<ProbeResult | undefined> {
  const posted = await send(options, { url, method: 'POST', message: initialize(options.version) });
  posted.destroy();
  const status = posted.statusCode ?? 0;
  if (status === 401 || status === 403) return { outcome: 'refused' };
  if (status >= 200 && status < 300) return undefined;
  return { outcome: 'nothing', why: `it responded with status ${status}`, status };
}

async function* readEvents(
  stream: IncomingMessage,
): AsyncGenerator<{ readonly event: string; readonly data: string | undefined }> {
  const reader = new EventReader(MAX_BYTES);
  for await (const chunk of stream) yield* reader.push(chunk as Buffer); // no encoding is set
}

interface ProbeResponse {
  readonly isError: boolean;
  /** Whether a JSON-RPC error shows that the server is running and may serve other requests. */
  readonly isRefusal: boolean;
  readonly text: string;
}

async function readProbeResponse(response: IncomingMessage): Promise<ProbeResponse | undefined> {
  if (isEventStreamType(response.headers['content-type'])) {
    for await (const { data } of readEvents(response)) {
      const reply = data === undefined ? undefined : answerIn(data);
      if (reply !== undefined) return reply;
    }
    return undefined;
  }
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response) {
    chunks.push(chunk as Buffer);
    size += chunks.at(-1)?.length ?? 0;
    if (size > MAX_BYTES) return undefined;
  }
  return answerIn(Buffer.concat(chunks).toString('utf8'));
}

const NO_ERROR: ProbeResponse = { isError: false, isRefusal: false, text: '' };

function answerIn(text: string): ProbeResponse | undefined {
  if (findExcess(text, MAX_SERVER_NODES) !== undefined) return undefined;
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
  if (typeof message !== 'object' || message === null || !('jsonrpc' in message)) return undefined;
  if ('result' in message) return 'id' in message && message.id === ID ? NO_ERROR : undefined;
  if (!('error' in message)) return undefined;
  const { error } = message;
  const said = typeof error === 'object' && error !== null && 'message' in error ? String(error.message) : '';
  const code = typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
  const isOurs = 'id' in message && (message.id === ID || message.id === null);
  // An internal error means a broken server, or a proxy whose server does not respond.
  const isRefusal = isOurs && Number.isInteger(code) && code !== INTERNAL_ERROR && said !== '';
  return { isError: true, isRefusal, text: said.slice(0, 300) };
}

interface Sending {
  readonly url: URL;
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly headers?: Readonly<Record<string, string>>;
  readonly message?: object;
}

function send(
  { ownRequests, signal, agent, headers: all }: AskOptions,
  { url, method, headers = {}, message }: Sending,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const body = message === undefined ? undefined : JSON.stringify(message);
  const target = url.pathname + url.search;
  const key = ownRequests?.makeKey({ method, target, session: headers['Mcp-Session-Id'], body });
  const request = openRequest(url, {
    method,
    signal,
    agent: agent ?? false,
    headers: {
      ...all,
      Accept: method === 'GET' ? 'text/event-stream' : MESSAGE_TYPES,
      ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
      ...(key === undefined ? {} : { [OWN_REQUEST_HEADER]: key }),
      ...headers,
    },
  });
  request.once('response', resolve).once('error', reject);
  request.end(body);
  return promise;
}
