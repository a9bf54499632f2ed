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
 * How requests reach an engine. No connection is kept for the next request:
 * one through a socket costs nothing, and a kept one is dead after the engine
 * restarts.
 */
export interface EngineConnection {
  readonly address: EngineAddress;
  readonly secure: boolean;
  /** What a request of node:http or node:https needs beside method and path. */
  readonly options: RequestOptions;
}

/**
 * Only TLS needs the name of a server, and node:http looks for it all the same where nobody says that there is none:
 * to see that it is no address costs the first request of a process some 3 ms.
 */
const PLAIN = { keepAlive: false, servername: '' };

/** Opens nothing yet: each request makes its own connection. */
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
      // dockerode hands on the certificates, but not whether to check those of the engine: the agent does.
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

/** After so long without a word TCP asks whether the other end is still there, and gives it up ten seconds later. */
const KEEP_ALIVE_MS = 10_000;

/** What makes an agent fit for dockerode. */
function agentOf<Agent extends HttpAgent>(agent: Agent): Agent {
  return tellingLostConnections(named(agent));
}

/**
 * An agent that is shown by its name. dockerode writes down the options of every
 * request, read or not; with all sockets of an agent that takes some 10 ms each time.
 */
function named<Agent extends HttpAgent>(agent: Agent): Agent {
  return Object.assign(agent, { [inspect.custom]: () => '[Agent]' });
}

/** What node:http asks an agent for; its types leave it out. */
interface TakesRequests {
  addRequest: (request: ClientRequest, ...more: readonly unknown[]) => void;
}

/**
 * An agent whose requests fail when their answer breaks off, as when an engine is killed, and when its machine is gone
 * without a word. docker-modem (5.0.7) waits for the end of an answer, which never comes then, and whoever has asked would
 * wait for ever.
 */
function tellingLostConnections<Agent extends HttpAgent>(agent: Agent): Agent {
  // SAFETY: node:http itself calls it on each agent.
  const taking = agent as unknown as TakesRequests;
  const addRequest = taking.addRequest.bind(agent);
  taking.addRequest = (request, ...more) => {
    request.once('socket', (socket: Duplex) => {
      if (socket instanceof Socket) socket.setKeepAlive(true, KEEP_ALIVE_MS); // that of ssh has its own
    });
    request.once('response', (answer: IncomingMessage) => {
      answer.once('close', () => {
        // Who reads the answer as a stream has heard of it there, and may have left.
        if (!answer.complete && request.listenerCount('error') > 0) request.emit('error', brokenAnswer());
      });
    });
    addRequest(request, ...more);
  };
  return agent;
}

function brokenAnswer(): Error {
  return Object.assign(new Error('its answer broke off'), { code: 'ECONNRESET' });
}

/** A request to the engine that is not sent yet. */
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

/** What an engine tells of itself with the answer to a ping, which costs it nothing. */
export interface PingAnswer {
  /** Undefined where something between has left out what an engine says. */
  readonly podman: boolean | undefined;
  /** Empty then. */
  readonly apiVersion: string;
}

/** Pings; rejects with the connection's error when there is no answer, and with what the engine says when it is no good one. */
export async function pingEngine(connection: EngineConnection, signal?: AbortSignal): Promise<PingAnswer> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const request = openRequest(connection, { method: 'GET', path: '/_ping', signal });
    request.on('response', resolve).on('error', reject).end();
  });
  if (response.statusCode !== 200) throw await refusalOf(response);
  response.resume();
  const { 'api-version': apiVersion, 'libpod-api-version': libpodVersion } = response.headers;
  if (typeof apiVersion !== 'string') return { podman: undefined, apiVersion: '' };
  // Podman sends it with every answer, Docker never.
  return { podman: libpodVersion !== undefined, apiVersion };
}

/** What an engine says where it refuses a request that was made by hand. The same shape as an error of dockerode. */
export async function refusalOf(response: IncomingMessage): Promise<Error> {
  const said = (await text(response)).trim();
  // A page comes from something in between, and says less than its status.
  const message = /"message":\s*"((?:[^"\\]|\\.)*)"/.exec(said)?.[1] ?? (said.startsWith('<') ? '' : said);
  return Object.assign(new Error(message || `status ${response.statusCode}`), {
    statusCode: response.statusCode,
  });
}
