import type { RequestOptions } from 'node:https';
import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { text } from 'node:stream/consumers';
import { inspect } from 'node:util';
import type { EngineAddress } from './engine-address.ts';
import { openSshStream } from './ssh-stream.ts';

/**
 * Connection settings of an engine. Connections are not reused: a new socket connection is cheap, and an idle
 * one breaks when the engine restarts.
 */
export interface EngineConnection {
  readonly address: EngineAddress;
  readonly secure: boolean;
  /** Options of node:http or node:https without method and path. */
  readonly options: RequestOptions;
}

/**
 * Connection options without TLS. An empty `servername` keeps node:http from computing one, which costs the
 * first request of a process about 3 ms.
 */
const PLAIN = { keepAlive: false, servername: '' };

/** Returns the connection settings. Opens no connection: each request creates its own. */
export function engineConnection(address: EngineAddress): EngineConnection {
  switch (address.over) {
    case 'socket':
      return {
        address,
        secure: false,
        options: { socketPath: address.path, agent: agentOf(new HttpAgent(PLAIN)) },
      };
    case 'ssh':
      return { address, secure: false, options: { host: 'engine', agent: sshAgent(address) } };
    case 'tcp': {
      const place = { host: address.host, port: address.port };
      if (address.tls === undefined) {
        return { address, secure: false, options: { ...place, agent: agentOf(new HttpAgent(PLAIN)) } };
      }
      const { ca, cert, key, verify } = address.tls;
      // dockerode passes certificates on, but not whether to verify the engine's, so the agent does.
      const agent = agentOf(new HttpsAgent({ rejectUnauthorized: verify }));
      const options = { ...place, ca, cert, key, rejectUnauthorized: verify, agent };
      return { address, secure: true, options };
    }
    default:
      return address satisfies never;
  }
}

function sshAgent(address: Extract<EngineAddress, { over: 'ssh' }>): HttpAgent {
  const agent = agentOf(new HttpAgent(PLAIN));
  agent.createConnection = () => openSshStream(address);
  return agent;
}

/**
 * Idle time in milliseconds before TCP probes the peer. The connection ends ten seconds later if the peer
 * does not respond.
 */
const KEEP_ALIVE_MS = 10_000;

function agentOf<Agent extends HttpAgent>(agent: Agent): Agent {
  return tellingLostConnections(named(agent));
}

/**
 * Gives an agent a short string form. dockerode formats the options of every request for its debug output,
 * which takes about 10 ms with all sockets of an agent.
 */
function named<Agent extends HttpAgent>(agent: Agent): Agent {
  return Object.assign(agent, { [inspect.custom]: () => '[Agent]' });
}

/** Method of agents that node:http calls but its types do not declare. */
interface TakesRequests {
  addRequest: (request: ClientRequest, ...more: readonly unknown[]) => void;
}

/**
 * Makes a request fail when its response breaks off, as when an engine crashes. docker-modem (5.0.7) would
 * wait forever for the end of the response.
 */
function tellingLostConnections<Agent extends HttpAgent>(agent: Agent): Agent {
  // SAFETY: node:http itself calls this method on each agent.
  const taking = agent as unknown as TakesRequests;
  const addRequest = taking.addRequest.bind(agent);
  taking.addRequest = (request, ...more) => {
    request.once('socket', (socket: Duplex) => {
      // ssh streams have their own keep-alive
      if (socket instanceof Socket) socket.setKeepAlive(true, KEEP_ALIVE_MS);
    });
    request.once('response', (response: IncomingMessage) => {
      response.once('close', () => {
        // A reader of the response stream has already received the error, or has left.
        if (!response.complete && request.listenerCount('error') > 0)
          request.emit('error', truncatedResponse());
      });
    });
    addRequest(request, ...more);
  };
  return agent;
}

function truncatedResponse(): Error {
  return Object.assign(new Error('its response was cut off'), { code: 'ECONNRESET' });
}

/** Creates a request to the engine without sending it. */
export function openRequest(
  connection: EngineConnection,
  request: {
    readonly method: string;
    readonly path: string;
    readonly headers?: Record<string, string>;
    readonly signal?: AbortSignal | undefined;
  },
): ClientRequest {
  const options = { ...connection.options, ...request };
  return connection.secure ? httpsRequest(options) : httpRequest(options);
}

/** Facts about the engine in the headers of a ping response. */
export interface PingResponse {
  /** Whether the engine is Podman; undefined if an intermediate proxy removed the header. */
  readonly podman: boolean | undefined;
  /** API version; empty if an intermediate proxy removed the header. */
  readonly apiVersion: string;
}

/** Sends a ping. Rejects with the connection error, or with the engine's error response. */
export async function pingEngine(connection: EngineConnection, signal?: AbortSignal): Promise<PingResponse> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = openRequest(connection, { method: 'GET', path: '/_ping', signal });
    request.on('response', resolve).on('error', reject).end();
  });
  if (response.statusCode !== 200) throw await refusalOf(response);
  response.resume();
  const { 'api-version': apiVersion, 'libpod-api-version': libpodVersion } = response.headers;
  if (typeof apiVersion !== 'string') return { podman: undefined, apiVersion: '' };
  // Podman sends this header with every response, Docker never.
  return { podman: libpodVersion !== undefined, apiVersion };
}

/** Returns the engine's error response in the form of a dockerode error. */
export async function refusalOf(response: IncomingMessage): Promise<Error> {
  const said = (await text(response)).trim();
  // A response in HTML comes from a proxy, so the status says more than the text.
  const message = /"message":\s*"((?:[^"\\]|\\.)*)"/.exec(said)?.[1] ?? (said.startsWith('<') ? '' : said);
  return Object.assign(new Error(message || `status ${response.statusCode}`), {
    statusCode: response.statusCode,
  });
}
