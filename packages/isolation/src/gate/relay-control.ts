import { createServer, type Server, type Socket } from 'node:net';
import { parseEgressHost } from '@portolan/outbound';
import { type EgressListener, refuse } from '../policy/egress-event.ts';
import type { EgressJudge } from '../policy/egress-judge.ts';
import { relayFailed } from '../errors.ts';
import { listenOn } from '../proxy/listen-on.ts';

export interface RelayControlOptions {
  readonly workload: string;
  readonly socket: string;
  readonly ingress: readonly number[];
  /** Decides about outgoing traffic. Undefined: no outgoing listener and no name resolution. */
  readonly judge: EgressJudge | undefined;
  readonly onEvent: EgressListener;
}

const MAX_LINE_LENGTH = 4096;
/**
 * Interval in milliseconds at which this host's listening ports are read again, once a program of the
 * workload has resolved the host's name.
 */
const LOOK_MS = 1000;

/**
 * Controls the relay, as JSON lines over a Unix socket that the workload cannot reach. A reconnecting relay
 * gets the full state again.
 */
export class RelayControl {
  readonly #options: RelayControlOptions;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #ready = Promise.withResolvers<void>();
  readonly #hostPorts = new Map<string, string>();
  #looking: NodeJS.Timeout | undefined;
  #lastRefused: { readonly name: string; readonly at: number } | undefined;

  private constructor(options: RelayControlOptions) {
    this.#options = options;
    this.#ready.promise.catch(() => undefined); // callers of ready() get the error
    this.#server = createServer((socket) => this.#serve(socket));
    this.#server.maxConnections = 4; // accepts the relay, and the relay of a restarted gateway
  }

  static async open(options: RelayControlOptions): Promise<RelayControl> {
    const control = new RelayControl(options);
    await listenOn(control.#server, options.socket);
    return control;
  }

  /** Resolves when the relay listens on everything. Rejects with ERR_GATEWAY, or the reason of the signal. */
  async ready(signal?: AbortSignal): Promise<void> {
    if (signal === undefined) return this.#ready.promise;
    signal.throwIfAborted();
    const aborted = Promise.withResolvers<never>();
    const abort = (): void => aborted.reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    try {
      await Promise.race([this.#ready.promise, aborted.promise]);
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  async close(): Promise<void> {
    clearInterval(this.#looking);
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    for (const socket of this.#sockets) socket.destroy();
    this.#ready.reject(relayFailed(this.#options.workload, 'it was closed'));
    await promise;
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on('error', () => socket.destroy()).once('close', () => this.#sockets.delete(socket));
    const { judge, ingress } = this.#options;
    say(socket, { open: { egress: judge !== undefined, ingress } });
    let rest = '';
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      if (rest.length > MAX_LINE_LENGTH) socket.destroy();
      else for (const line of lines) this.#hear(socket, line);
    });
  }

  /** The relay parses the workload's data, so its lines are untrusted. */
  #hear(socket: Socket, line: string): void {
    const command = readLine(line);
    if (command === undefined) {
      socket.destroy();
      return;
    }
    if (command['ready'] === true) this.#ready.resolve();
    else if (typeof command['failed'] === 'string') {
      this.#ready.reject(relayFailed(this.#options.workload, command['failed'].slice(0, 400)));
    } else if (typeof command['ask'] === 'number' && typeof command['name'] === 'string') {
      void this.#respond(socket, command['ask'], command['name'], command['type'] === 'A');
    }
  }

  #follow(name: string, ports: readonly number[], judge: EgressJudge): void {
    if (!this.#hostPorts.has(name)) this.#hostPorts.set(name, ports.join());
    this.#looking ??= setInterval(() => void this.#look(judge), LOOK_MS).unref();
  }

  async #look(judge: EgressJudge): Promise<void> {
    const ports = await judge.listGatewayPorts();
    for (const [name, message] of this.#hostPorts) {
      if (message === ports.join()) continue;
      this.#hostPorts.set(name, ports.join());
      for (const socket of this.#sockets) say(socket, { name, ports });
    }
  }

  async #respond(socket: Socket, ask: number, name: string, opens: boolean): Promise<void> {
    const ports = await this.#decide(name, opens);
    if (!socket.destroyed) say(socket, { ask, ports });
  }

  async #decide(name: string, opens: boolean): Promise<readonly number[]> {
    const { judge, workload, onEvent } = this.#options;
    const host = parseEgressHost(name);
    const decision =
      host === undefined || judge === undefined
        ? refuse('host-invalid', 'what was asked for is no name')
        : await judge.decideName(host);
    const where = { workload, method: 'DNS', host: host?.text ?? name.slice(0, 200), port: undefined };
    if ('ports' in decision) {
      if (opens && host !== undefined && judge?.opensHost(host) === true)
        this.#follow(host.text, decision.ports, judge);
      if (opens) onEvent({ ...where, allowed: true, rule: decision.by });
      return decision.ports;
    }
    // Programs query IPv4 and IPv6 together and repeat failed queries. Report these queries as one refused
    // attempt.
    const last = this.#lastRefused;
    if (last?.name !== where.host || performance.now() - last.at > 1000)
      onEvent({ ...where, allowed: false, rule: decision.reason, text: decision.text });
    this.#lastRefused = { name: where.host, at: performance.now() };
    return [];
  }
}

function readLine(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function say(socket: Socket, message: Readonly<Record<string, unknown>>): void {
  socket.write(`${JSON.stringify(message)}\n`);
}
