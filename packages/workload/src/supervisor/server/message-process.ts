import { setTimeout as pass } from 'node:timers/promises';
import type {
  Attachment,
  ContainerEngine,
  ContainerState,
  Logger,
  MessageConnection,
  MessageTransport,
  ReceivedMessage,
  ServerConnection,
} from '@portolan/plugin-api';
// only this small module: the proxy itself loads after the container is created
import { Turn } from '@portolan/proxy/turn';
import type { StartedContainer } from './container-starter.ts';
import { removeForCertain, untilReachable } from './engine-calls.ts';

export interface MessageProcessOptions {
  readonly container: StartedContainer;
  readonly transport: MessageTransport;
  readonly runtime: ContainerEngine;
  /** Whether the process can connect to the container again after a connection breaks. */
  readonly outlivesConnection: boolean;
  /** Aborts when the whole workload ends. The server then gets less time to exit. */
  readonly ending: AbortSignal;
  readonly logged: (line: string) => void;
  readonly seen: (message: string) => void;
  /** Called when the server exits by itself. `state` is undefined when its container is gone. */
  readonly exited: (state: ContainerState | undefined) => Promise<void>;
  /** Called once after `close`, when the container is gone. */
  readonly closed: (state: ContainerState | undefined) => Promise<void>;
  readonly logger: Logger;
}

/** Maximum message size in bytes; larger messages are skipped. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
/** Maximum number of lines on standard output to log although they are not messages. */
const MAX_STRAY_LINES = 50;
const MAX_STRAY_LINE_LENGTH = 1000;
const STRAY_LINES_LEFT_OUT = '[portolan: more lines on standard output that are not messages are omitted]';
const GRACE_MS = 5000;
/** Time in milliseconds for a server to exit after its input ends; shorter when the whole workload stops. */
const END_MS = 5000;
const STOP_END_MS = 1000;
const AGAIN_MS = 100;
/** Number of connections in a row without any message after which the server's output counts as closed. */
const MAX_SILENT_CONNECTIONS = 5;
/** Minimum duration in milliseconds of a successful connection that carried no message. */
const GOOD_AFTER_MS = 60_000;
const LAST_WORDS_MS = 1000;

export class MessageProcess implements ServerConnection {
  readonly received: AsyncIterable<ReceivedMessage>;
  readonly #options: MessageProcessOptions;
  #connection: MessageConnection;
  #attachment: Attachment;
  #closing: Promise<void> | undefined;
  readonly #over = new AbortController();
  /** Resolves when a new connection is open, or when there will be none. Undefined while connected. */
  #gap: PromiseWithResolvers<void> | undefined;
  #isLost = false;
  #wasUsed = false;
  #strayLines = 0;
  #silent = 0;
  #connectedAt = performance.now();
  #telling: Promise<void> | undefined;

  constructor(options: MessageProcessOptions) {
    this.#options = options;
    this.#attachment = options.container.attachment;
    this.#connection = this.#connect();
    this.received = this.#receive();
  }

  get container(): StartedContainer {
    return this.#options.container;
  }

  async send(message: string): Promise<void> {
    this.#wasUsed = true;
    await this.#gap?.promise;
    await this.#connection.send(message);
  }

  /** Closes the connection at once, because the gateway is gone and the container is cut off. */
  lose(): void {
    this.#isLost = true;
    this.#over.abort();
    this.#attachment.close();
  }

  close(): Promise<void> {
    this.#over.abort();
    this.#closing ??= this.#end();
    return this.#closing;
  }

  #connect(): MessageConnection {
    const attachment = this.#attachment;
    const connection = this.#options.transport.openConnection(attachment, {
      maxMessageBytes: MAX_MESSAGE_BYTES,
    });
    if (this.#options.outlivesConnection) void this.#holdAtEnd(attachment);
    void this.#readLog(connection);
    return connection;
  }

  /** Delays messages while the connection is broken, because they would be lost. */
  async #holdAtEnd({ ended }: Attachment): Promise<void> {
    await ended;
    if (!this.#over.signal.aborted) this.#gap = Promise.withResolvers();
  }

  async #readLog(connection: MessageConnection): Promise<void> {
    try {
      const turn = new Turn();
      for await (const line of connection.logged) {
        this.#options.logged(line);
        if (turn.isOver()) await turn.yield();
      }
    } catch (error) {
      this.#options.logger.debug({ error }, 'log of the server ended');
    }
  }

  async *#receive(): AsyncGenerator<ReceivedMessage> {
    try {
      do yield* this.#untilBroken(this.#connection);
      while (await this.#connectAgain());
    } finally {
      this.#gap?.resolve();
      if (this.#closing === undefined) this.#telling = this.#tellExit();
    }
  }

  async *#untilBroken({ received }: MessageConnection): AsyncGenerator<ReceivedMessage> {
    try {
      for await (const message of received) {
        this.#silent = 0;
        this.#hear(message);
        yield message;
      }
    } catch (error) {
      if (!this.#options.outlivesConnection) throw error;
      this.#options.logger.debug({ error }, 'connection to the server broke');
    }
  }

  /** Logs lines that are not messages. They are meant for people, and often explain an exit. */
  #hear(message: ReceivedMessage): void {
    if (typeof message !== 'string') return;
    if (/^\s*[[{]/.test(message)) return this.#options.seen(message);
    this.#strayLines += 1;
    if (this.#strayLines < MAX_STRAY_LINES) this.#options.logged(message.slice(0, MAX_STRAY_LINE_LENGTH));
    else if (this.#strayLines === MAX_STRAY_LINES) this.#options.logged(STRAY_LINES_LEFT_OUT);
  }

  /**
   * Connects again after the stream ended, as when the engine restarts. Stops after several silent
   * connections in a row, since the server has then closed its output.
   */
  async #connectAgain(): Promise<boolean> {
    const { runtime, container, outlivesConnection, logger } = this.#options;
    const { signal } = this.#over;
    if (!outlivesConnection || signal.aborted) return false;
    try {
      if (performance.now() - this.#connectedAt > GOOD_AFTER_MS) this.#silent = 0;
      if (this.#silent >= MAX_SILENT_CONNECTIONS) {
        logger.warn({ container: container.name }, 'server has closed its output but still runs');
        return false;
      }
      await pass(AGAIN_MS * 2 ** this.#silent, undefined, { signal });
      if (!(await untilReachable(() => this.#runs(signal), signal))) return false;
      const attachment = await runtime.attachContainer(container.id, signal);
      // An engine also attaches to a container that has exited, and then sends nothing. Check whether the
      // container still runs.
      if (!(await this.#runs(signal))) {
        attachment.close();
        return false;
      }
      this.#silent += 1;
      this.#connectedAt = performance.now();
      this.#attachment = attachment;
      this.#connection = this.#connect();
      this.#gap?.resolve();
      this.#gap = undefined;
      void this.#closeAtExit(attachment);
      logger.info({ container: container.name }, 'the supervisor reconnected to the server');
      return true;
    } catch (error) {
      if (!signal.aborted)
        logger.warn({ container: container.name, error }, 'the supervisor could not reconnect to the server');
      return false;
    }
  }

  /**
   * Closes the connection when the container exits. Under load, a killed container still counts as running
   * for a while, and a connection to it would never end.
   */
  async #closeAtExit(attachment: Attachment): Promise<void> {
    const { runtime, container, logger } = this.#options;
    const over = new AbortController();
    void attachment.ended.then(() => over.abort());
    try {
      await runtime.waitForExit(container.id, over.signal);
      await Promise.race([attachment.ended, pass(LAST_WORDS_MS)]);
    } catch (error) {
      if (!over.signal.aborted) logger.warn({ container: container.name, error }, 'server cannot be watched');
    }
    attachment.close();
  }

  async #runs(signal: AbortSignal): Promise<boolean> {
    const { runtime, container } = this.#options;
    return (await runtime.inspectContainer(container.id, signal))?.state.running === true;
  }

  async #tellExit(): Promise<void> {
    await this.#options.exited(await this.#look());
  }

  async #look(): Promise<ContainerState | undefined> {
    const { runtime, container, logger } = this.#options;
    try {
      return (await runtime.inspectContainer(container.id))?.state;
    } catch (error) {
      logger.warn({ container: container.name, error }, 'container cannot be inspected');
      return undefined;
    }
  }

  /** Ends the server as the MCP specification demands: closes its input, then sends SIGTERM, then SIGKILL. */
  async #end(): Promise<void> {
    const { runtime, container, logger, outlivesConnection } = this.#options;
    // `exited` inspects the container, so it must still exist.
    await this.#telling;
    try {
      const mayEndByItself = this.#wasUsed && !this.#isLost && !outlivesConnection;
      if (mayEndByItself) await this.#endInput();
      await runtime.stopContainer(container.id, { graceMs: GRACE_MS });
    } catch (error) {
      logger.debug({ container: container.name, error }, 'server could not be stopped and is removed');
    }
    this.#attachment.close();
    const state = await this.#look();
    await removeForCertain(runtime, container.id, logger);
    await this.#options.closed(state);
  }

  async #endInput(): Promise<void> {
    const { runtime, ending } = this.#options;
    this.#attachment.endInput();
    const late = new AbortController();
    const give = (ms: number): NodeJS.Timeout => setTimeout(() => late.abort(), ms);
    const timers = [give(ending.aborted ? STOP_END_MS : END_MS)];
    const hurry = (): void => void timers.push(give(STOP_END_MS));
    ending.addEventListener('abort', hurry, { once: true });
    try {
      await runtime.waitForExit(this.container.id, late.signal);
    } catch (error) {
      if (!late.signal.aborted) throw error;
    } finally {
      ending.removeEventListener('abort', hurry);
      for (const timer of timers) clearTimeout(timer);
    }
  }
}
