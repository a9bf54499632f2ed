import {
  IdMap,
  namesModernRevision,
  findValue,
  type Message,
  type NotificationMessage,
  type RequestMessage,
  type ResponseMessage,
  findAnsweredId,
  parseServerMessage,
  readId,
  splitServerBatch,
  TOO_MANY_VALUES,
  rewriteMessage,
  writeNotification,
} from '@portolan/mcp-protocol';
import type { Logger, PortolanError, ServerConnection } from '@portolan/plugin-api';
import type { Counts } from '../request/counts.ts';
import type { HealthLimits, HealthMonitor } from '../health/health-monitor.ts';
import { answerMalformed, answerTooLarge, serverExited } from '../errors/server-errors.ts';
import { sessionEnded } from '../errors/session-errors.ts';
import { OutgoingQueue, type QueueLimits } from './outgoing-queue.ts';
import { type AnswerReceiver, type RequestLimits, ServerRequest } from './server-request.ts';
import { SkippedLines } from './skipped-lines.ts';
import type { Startup } from './startup.ts';
import { LARGE_MESSAGE, Turn } from '../request/turn.ts';
import { watchProcess } from './watch-process.ts';

export type LinkLimits = RequestLimits & QueueLimits & { readonly health: HealthLimits };

/** Who is told what a server says of its own accord. */
export interface LinkListener {
  requested(request: RequestMessage): void;
  notified(notification: NotificationMessage): void;
  /** The process has ended, or cannot be spoken to any more. Everybody who waited has been told. */
  ended(): void;
  /** Whether the server may write batches, as 2025-03-26 allows. */
  readonly takesBatches: boolean;
}

export interface LinkSurroundings {
  readonly limits: LinkLimits;
  readonly counts: Counts;
  readonly logger: Logger;
  readonly clock: () => Date;
  /** Monotonic time in milliseconds. */
  readonly nowMs: () => number;
  /** Records the first response to `initialize`. Left out: nothing records it. */
  readonly startup?: Startup;
}

/** Messages kept for a listener that has still to come. */
const MAX_KEPT = 256;
/** Tokens of tasks, which live on after the answer to the request that began the task. */
const MAX_TASK_TOKENS = 256;

/** One process of a server: requests go in under minted ids, answers come out to who asked. */
export class ServerLink {
  readonly #connection: ServerConnection;
  readonly #limits: LinkLimits;
  readonly #counts: Counts;
  readonly #clock: () => Date;
  readonly #nowMs: () => number;
  readonly #startup: Startup | undefined;
  readonly #openedMs: number;
  readonly #logger: Logger;
  readonly #skipped: SkippedLines;
  readonly #queue: OutgoingQueue;
  readonly #requests = new IdMap<ServerRequest>('p');
  readonly #taskTokens = new Map<string, string>();
  readonly #kept: (RequestMessage | NotificationMessage)[] = [];
  readonly #ended = Promise.withResolvers<void>();
  #listener: LinkListener | undefined;
  #closing: Promise<void> | undefined;
  #hasEnded = false;
  #wasAsked = false;
  #watching: HealthMonitor | undefined;
  /** Whether anything has come from the process since it was last looked at. */
  #wasHeard = false;
  /** So long it may be busy with what nobody waits for any more, by `performance.now()`. */
  #mayWorkUntilMs = 0;

  constructor(connection: ServerConnection, surroundings: LinkSurroundings) {
    const { limits, counts, logger, clock, nowMs, startup } = surroundings;
    this.#connection = connection;
    this.#limits = limits;
    this.#counts = counts;
    this.#logger = logger;
    this.#clock = clock;
    this.#nowMs = nowMs;
    this.#startup = startup;
    this.#openedMs = nowMs();
    this.#skipped = new SkippedLines(counts, logger, nowMs);
    this.#queue = new OutgoingQueue(connection, limits, (error) => this.#end(serverExited(error)));
    void this.#read();
  }

  /** Settles when nothing more can be said to the process; it may still have to be closed. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Whether the end of the process was asked for here. */
  get isClosing(): boolean {
    return this.#closing !== undefined;
  }

  /** How many requests wait for an answer. */
  get waiting(): number {
    return this.#requests.size;
  }

  /** From now on the server is listened to; what it said before comes first. */
  listen(listener: LinkListener): void {
    this.#listener = listener;
    for (const message of this.#kept.splice(0)) this.#tell(listener, message);
    if (this.#hasEnded) listener.ended();
  }

  /** Nobody listens any more: what the server says now is kept for whoever listens next. */
  leave(): void {
    this.#listener = undefined;
    this.#wasAsked = true;
    void this.#watching?.close();
  }

  /**
   * From now on the process is asked this question while it has nothing to do,
   * and given up when it answers no more; see `watchProcess`.
   */
  watch(question: RequestMessage): void {
    this.#watching = watchProcess({
      limits: this.#limits.health,
      isIdle: () => this.#isIdle,
      wasHeard: () => {
        const wasHeard = this.#wasHeard;
        this.#wasHeard = false;
        return wasHeard;
      },
      ask: () => this.#ask(question),
      givenUp: () => this.#end(serverExited(new Error('it does not answer, though it runs'))),
      clock: this.#clock,
      logger: this.#logger,
    });
  }

  /** Whether it was left after it had been greeted: whoever greets it next is not the first. */
  get wasAsked(): boolean {
    return this.#wasAsked;
  }

  /**
   * Sends a request, which waits no longer than `limits` say. Throws
   * ERR_SERVER_EXITED and ERR_SERVER_BUSY; then the receiver is told nothing.
   */
  request(
    message: RequestMessage,
    receiver: AnswerReceiver,
    limits: RequestLimits = this.#limits,
  ): ServerRequest {
    if (this.#hasEnded) throw serverExited();
    const request = this.#requests.add(
      (minted) =>
        new ServerRequest(message, minted, receiver, limits, (late, error) => this.#expire(late, error)),
    );
    try {
      this.#queue.push(request.write(message));
    } catch (error) {
      this.#forget(request);
      throw error;
    }
    return request;
  }

  /** Sends a notification or a response. Throws ERR_SERVER_BUSY; to a process that ended nothing is sent. */
  send(text: string): void {
    if (!this.#hasEnded) this.#queue.push(text);
  }

  /** Tells the server that a request was cancelled, under the id the server knows. */
  cancel(request: ServerRequest, notice: NotificationMessage): void {
    if (this.#requests.find(request.minted) !== request || request.isCancelled) return;
    this.send(request.cancel(notice));
  }

  /** Cancels a request whose receiver fails with `why` at once: it waits for no response. */
  abandon(request: ServerRequest, notice: NotificationMessage, why: PortolanError): void {
    if (this.#requests.find(request.minted) !== request) return;
    if (!request.isCancelled) this.#tryToSend(request.cancel(notice));
    this.#forget(request);
    this.#noteWork(request);
    request.receiver.failed(why);
  }

  /** Waits for the answer no longer, of which the server knows; the receiver is told nothing. */
  drop(request: ServerRequest): void {
    this.#forget(request);
  }

  /** A sign of life for everything that waits: the server asked something back. */
  restartClocks(): void {
    for (const request of this.#requests.list()) request.restartClock();
  }

  /** Ends the process. Whoever waits is told `why`. Safe to call twice. */
  close(why: PortolanError = sessionEnded()): Promise<void> {
    this.#closing ??= this.#connection.close();
    this.#end(why);
    return this.#closing;
  }

  get #isIdle(): boolean {
    return (
      performance.now() >= this.#mayWorkUntilMs && this.#requests.list().every(({ isEndless }) => isEndless)
    );
  }

  /** Settles when it is answered in time, whatever the answer. */
  #ask(question: RequestMessage): Promise<void> {
    const { pingMs } = this.#limits.health;
    const limits = { requestMs: pingMs, longestRequestMs: pingMs, cancelledMs: pingMs };
    return new Promise((resolve, reject) => {
      const receiver = { answered: () => resolve(), progressed: () => undefined, failed: reject };
      this.request(question, receiver, limits);
    });
  }

  async #read(): Promise<void> {
    const turn = new Turn();
    try {
      for await (const text of this.#connection.received) {
        if (this.#hasEnded) return;
        this.#wasHeard = true;
        if (typeof text !== 'string')
          this.#skip(text.beginning, 'it is longer than a message may be', answerTooLarge);
        else if (text.length >= LARGE_MESSAGE) await this.#takeInTurns(text, turn);
        else this.#take(text);
        if (turn.isOver()) await turn.yield();
      }
      this.#end(serverExited());
    } catch (error) {
      this.#end(serverExited(error));
    }
  }

  #take(text: string): void {
    for (const element of this.#split(text)) this.#takeOne(element, parseServerMessage(element));
  }

  /** Parses a large message in one turn of the event loop and hands it on in the next. */
  async #takeInTurns(text: string, turn: Turn): Promise<void> {
    for (const element of this.#split(text)) {
      await turn.yield();
      const message = parseServerMessage(element);
      await turn.yield();
      if (this.#hasEnded) return;
      this.#takeOne(element, message);
    }
  }

  #split(text: string): readonly string[] {
    return (this.#listener?.takesBatches === true ? splitServerBatch(text) : undefined) ?? [text];
  }

  /** Skips a line. The request that it answers, as far as it can be read, fails at once. */
  #skip(line: string, fault: string, error: (fault: string) => PortolanError): void {
    this.#skipped.add(line, fault);
    // Most lines that are no message come while no request waits.
    if (this.#requests.size === 0) return;
    const id = findAnsweredId(line);
    const request = id === undefined ? undefined : this.#requests.take(id);
    request?.stopClock();
    request?.receiver.failed(error(fault));
  }

  #takeOne(text: string, message: Message | string): void {
    if (message === TOO_MANY_VALUES) this.#skip(text, message, answerTooLarge);
    else if (typeof message === 'string') this.#skip(text, message, answerMalformed);
    else if (message.kind === 'response') this.#answer(message);
    else if (message.kind === 'notification' && message.method === 'notifications/progress') {
      this.#progress(message);
    } else if (this.#listener !== undefined) this.#tell(this.#listener, message);
    else if (this.#kept.length < MAX_KEPT) this.#kept.push(message);
    else this.#counts.droppedNotifications += 1;
  }

  #tell(listener: LinkListener, message: RequestMessage | NotificationMessage): void {
    if (message.kind === 'request') listener.requested(message);
    else listener.notified(message);
  }

  #answer(answer: ResponseMessage): void {
    const request = this.#requests.take(answer.id);
    if (request === undefined) {
      this.#counts.droppedAnswers += 1;
      return;
    }
    request.stopClock();
    if (request.method === 'initialize') this.#noteStartup(answer);
    if (request.isTask && !answer.isError) this.#keepTaskToken(request);
    const text = rewriteMessage(answer.text, [{ path: ['id'], by: request.id.text }]);
    request.receiver.answered({ ...answer, text, id: request.id });
  }

  #noteStartup(response: ResponseMessage): void {
    if (this.#startup === undefined || this.#startup.isKnown) return;
    const tookMs = this.#nowMs() - this.#openedMs;
    this.#startup.note({ tookMs, namesModern: namesModernRevision(response) });
  }

  #progress(notification: NotificationMessage): void {
    const token = findValue(notification.text, ['params', 'progressToken']);
    const id = token === undefined ? undefined : readId(notification.text.slice(token.start, token.end));
    const request = id === undefined ? undefined : this.#requests.find(id);
    request?.restartClock();
    const chosen = request?.progressToken ?? (id === undefined ? undefined : this.#taskTokens.get(id.key));
    if (chosen === undefined) {
      this.#counts.droppedNotifications += 1;
      return;
    }
    const text = rewriteMessage(notification.text, [{ path: ['params', 'progressToken'], by: chosen }]);
    if (request === undefined) this.#listener?.notified({ ...notification, text });
    else request.receiver.progressed(text);
  }

  #keepTaskToken({ minted, progressToken }: ServerRequest): void {
    if (progressToken === undefined) return;
    this.#taskTokens.set(minted.key, progressToken);
    const [oldest] = this.#taskTokens.keys();
    if (this.#taskTokens.size > MAX_TASK_TOKENS && oldest !== undefined) this.#taskTokens.delete(oldest);
  }

  #expire(request: ServerRequest, error: PortolanError): void {
    this.#forget(request);
    this.#noteWork(request);
    // A server that reads nothing cannot be told, and an `initialize` may not be cancelled.
    if (!request.isCancelled && request.method !== 'initialize' && !this.#hasEnded) {
      this.#tryToSend(
        writeNotification(
          'notifications/cancelled',
          `{"requestId":${request.minted.text},"reason":"timeout"}`,
        ),
      );
    }
    request.receiver.failed(error);
  }

  /** A server may go on with a request whose client has its response. */
  #noteWork(request: ServerRequest): void {
    if (!request.isEndless) this.#mayWorkUntilMs = Math.max(this.#mayWorkUntilMs, request.lastMs);
  }

  #tryToSend(text: string): void {
    try {
      this.send(text);
    } catch {
      // The queue is full: the server reads nothing, this notice included.
    }
  }

  #forget(request: ServerRequest): void {
    request.stopClock();
    this.#requests.take(request.minted);
  }

  #end(why: PortolanError): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    void this.#watching?.close();
    this.#queue.close();
    for (const request of this.#requests.list()) {
      this.#forget(request);
      request.receiver.failed(why);
    }
    this.#listener?.ended();
    this.#ended.resolve();
  }
}
