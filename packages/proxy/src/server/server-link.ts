import type { LinkContext } from './link-options.ts';
import { LinkInbox, type LinkListener } from './link-inbox.ts';
import {
  IdMap,
  namesModernRevision,
  findValue,
  type Message,
  type MessageId,
  type NotificationMessage,
  type RequestMessage,
  type ResponseMessage,
  findAnsweredId,
  readId,
  TOO_MANY_VALUES,
  rewriteMessage,
  writeNotification,
} from '@portolan/mcp-protocol';
import {
  isPortolanError,
  type MessageSender,
  type PortolanError,
  type ServerConnection,
} from '@portolan/plugin-api';
import type { HealthMonitor } from '../health/health-monitor.ts';
import { answerMalformed, answerTooLarge, serverExited } from '../errors/server-errors.ts';
import { sessionEnded } from '../errors/session-errors.ts';
import { OutgoingQueue } from './outgoing-queue.ts';
import { takesParsed } from './parsed-message.ts';
import { readServer } from './read-server.ts';
import { type ResponseReceiver, type RequestLimits, ServerRequest, TaskTokens } from './server-request.ts';
import { SkippedLines } from './skipped-lines.ts';
import { watchProcess } from './watch-process.ts';

/** Connection to one process. Sends requests under new ids, and passes each response to its caller. */
export class ServerLink {
  readonly #connection: ServerConnection;
  readonly #options: LinkContext;
  readonly #openedMs: number;
  readonly #skipped: SkippedLines;
  readonly #queue: OutgoingQueue;
  readonly #requests = new IdMap<ServerRequest>('p');
  readonly #taskTokens = new TaskTokens();
  readonly #inbox: LinkInbox;
  readonly #ended = Promise.withResolvers<void>();
  #closing: Promise<void> | undefined;
  #hasEnded = false;
  #isSessionLost = false;
  #wasAsked = false;
  #watching: HealthMonitor | undefined;
  #wasHeard = false;
  /** Until then the process may work on abandoned requests, by `performance.now()`. */
  #mayWorkUntilMs = 0;

  constructor(connection: ServerConnection, context: LinkContext) {
    const { limits, counts, logger, nowMs } = context;
    this.#connection = connection;
    this.#options = context;
    this.#inbox = new LinkInbox(counts);
    this.#openedMs = nowMs();
    this.#skipped = new SkippedLines(counts, logger, nowMs);
    this.#queue = new OutgoingQueue(connection, limits, (error) => this.#end(serverExited(error)));
    void this.#read();
  }

  /** Settles when the process accepts no more messages. The caller may still have to call `close`. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Whether a restarted server could not continue the session. The process itself has not failed. */
  get isSessionLost(): boolean {
    return this.#isSessionLost;
  }

  get isClosing(): boolean {
    return this.#closing !== undefined;
  }

  get waiting(): number {
    return this.#requests.size;
  }

  listen(listener: LinkListener): void {
    this.#inbox.listen(listener);
    if (this.#hasEnded) listener.ended();
  }

  leave(): void {
    this.#inbox.leave();
    this.#wasAsked = true;
    void this.#watching?.close();
  }

  /**
   * Starts health checks: sends `question` while the process is idle, and treats a process that does not
   * respond as ended.
   */
  watch(question: RequestMessage): void {
    this.#watching = watchProcess({
      limits: this.#options.limits.health,
      isIdle: () => this.#isIdle,
      wasHeard: () => {
        const wasHeard = this.#wasHeard;
        this.#wasHeard = false;
        return wasHeard;
      },
      ask: () => this.#ask(question),
      givenUp: () => this.#end(serverExited(new Error('it is running but does not respond'))),
      clock: this.#options.clock,
      logger: this.#options.logger,
    });
  }

  /** Whether the process has already received an `initialize`, so that a client's would be the second. */
  get wasAsked(): boolean {
    return this.#wasAsked;
  }

  request(
    message: RequestMessage,
    receiver: ResponseReceiver,
    limits: RequestLimits = this.#options.limits,
    sender?: MessageSender,
  ): ServerRequest {
    if (this.#hasEnded) throw serverExited();
    const request = this.#requests.add(
      (minted) =>
        new ServerRequest(message, minted, receiver, limits, (late, error) => this.#expire(late, error)),
    );
    try {
      this.#pass(request, message, sender);
    } catch (error) {
      this.#forget(request);
      throw error;
    }
    return request;
  }

  /** Sends a message. Does nothing after the process has ended. Throws ERR_SERVER_BUSY. */
  send(text: string, sender?: MessageSender): void {
    if (!this.#hasEnded) this.#queue.push(text, sender);
  }

  cancel(request: ServerRequest, notice: NotificationMessage): void {
    if (this.#requests.find(request.minted) !== request || request.isCancelled) return;
    this.send(request.cancel(notice));
  }

  /** Cancels a request at the server. Its receiver gets `why` at once, and no response later. */
  abandon(request: ServerRequest, notice: NotificationMessage, why: PortolanError): void {
    if (this.#requests.find(request.minted) !== request) return;
    if (!request.isCancelled) this.#tryToSend(request.cancel(notice));
    this.#forget(request);
    this.#noteWork(request);
    request.receiver.failed(why);
  }

  drop(request: ServerRequest): void {
    this.#forget(request);
  }

  /**
   * Restarts the time limits of all pending requests. A request from the server shows that the server works
   * on them.
   */
  restartClocks(): void {
    for (const request of this.#requests.list()) request.restartClock();
  }

  /** Ends the process, so that pending requests fail with `why`. Idempotent. */
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

  #ask(question: RequestMessage): Promise<void> {
    const { pingMs } = this.#options.limits.health;
    const limits = { requestMs: pingMs, longestRequestMs: pingMs, cancelledMs: pingMs };
    return new Promise((resolve, reject) => {
      const receiver = { answered: () => resolve(), progressed: () => undefined, failed: reject };
      this.request(question, receiver, limits);
    });
  }

  async #read(): Promise<void> {
    try {
      await readServer(this.#connection.received, {
        isOver: () => this.#hasEnded,
        takesBatches: () => this.#inbox.takesBatches,
        recall: (text) => this.#options.recall?.(text),
        heard: () => {
          this.#wasHeard = true;
        },
        take: (text, message) => this.#takeOne(text, message),
        failed: ({ id, error }) => this.#fail(id, error),
        tooLong: (beginning) => this.#skip(beginning, 'it exceeds the maximum message size', answerTooLarge),
      });
      this.#end(serverExited());
    } catch (error) {
      this.#isSessionLost = isLostSession(error);
      this.#end(isPassedOn(error) ? error : serverExited(error));
    }
  }

  /**
   * Counts and logs an invalid line. If it looks like the response to a pending request, that request fails
   * at once.
   */
  #skip(line: string, fault: string, error: (fault: string) => PortolanError): void {
    this.#skipped.add(line, fault);
    if (this.#requests.size === 0) return;
    const id = findAnsweredId(line);
    if (id !== undefined) this.#fail(id, error(fault));
  }

  #fail(id: MessageId, error: PortolanError): void {
    const request = this.#requests.take(id);
    request?.stopClock();
    request?.receiver.failed(error);
  }

  #takeOne(text: string, message: Message | string): void {
    if (message === TOO_MANY_VALUES) this.#skip(text, message, answerTooLarge);
    else if (typeof message === 'string') this.#skip(text, message, answerMalformed);
    else if (message.kind === 'response') this.#receive(message);
    else if (message.kind === 'notification' && message.method === 'notifications/progress') {
      this.#progress(message);
    } else this.#inbox.take(message);
  }

  #receive(response: ResponseMessage): void {
    const request = this.#requests.take(response.id);
    if (request === undefined) {
      this.#options.counts.droppedAnswers += 1;
      return;
    }
    request.stopClock();
    if (request.method === 'initialize') this.#noteStartup(response);
    if (request.isTask && !response.isError) this.#taskTokens.keep(request);
    const text = rewriteMessage(response.text, [{ path: ['id'], by: request.id.text }]);
    request.receiver.answered({ ...response, text, id: request.id });
  }

  #noteStartup(response: ResponseMessage): void {
    const { startup, nowMs } = this.#options;
    if (startup === undefined || startup.isKnown) return;
    startup.note({ tookMs: nowMs() - this.#openedMs, namesModern: namesModernRevision(response) });
  }

  #progress(notification: NotificationMessage): void {
    const token = findValue(notification.text, ['params', 'progressToken']);
    const id = token === undefined ? undefined : readId(notification.text.slice(token.start, token.end));
    const request = id === undefined ? undefined : this.#requests.find(id);
    request?.restartClock();
    const chosen = request?.progressToken ?? (id === undefined ? undefined : this.#taskTokens.find(id));
    if (chosen === undefined) {
      this.#options.counts.droppedNotifications += 1;
      return;
    }
    const text = rewriteMessage(notification.text, [{ path: ['params', 'progressToken'], by: chosen }]);
    if (request === undefined) this.#inbox.notify({ ...notification, text });
    else request.receiver.progressed(text);
  }

  #expire(request: ServerRequest, error: PortolanError): void {
    this.#forget(request);
    this.#noteWork(request);
    // Do not send a cancellation to a server with a full queue, which cannot receive it, or for `initialize`,
    // where the protocol forbids it.
    if (!request.isCancelled && request.method !== 'initialize' && !this.#hasEnded) {
      const params = `{"requestId":${request.minted.text},"reason":"timeout"}`;
      this.#tryToSend(writeNotification('notifications/cancelled', params));
    }
    request.receiver.failed(error);
  }

  /** Records that the server may still work on a request that the proxy has given up. */
  #noteWork(request: ServerRequest): void {
    if (!request.isEndless) this.#mayWorkUntilMs = Math.max(this.#mayWorkUntilMs, request.lastMs);
  }

  #pass(request: ServerRequest, message: RequestMessage, sender: MessageSender | undefined): void {
    const text = request.write(message);
    // `params` has the token of the client.
    if (request.progressToken === undefined && takesParsed(this.#connection))
      this.#connection.request({ ...message, text, id: request.minted }, sender);
    else this.#queue.push(text, sender);
  }

  #tryToSend(text: string): void {
    try {
      this.send(text);
    } catch {
      // The queue to the server is full, so it would not read the notification either.
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
    this.#inbox.end();
    this.#ended.resolve();
  }
}

/** Errors of a connection that its requests get unchanged. */
const PASSED_ON: readonly string[] = ['ERR_SESSION_UNKNOWN', 'ERR_SERVER_NOT_STARTED'];

function isPassedOn(error: unknown): error is PortolanError {
  return isPortolanError(error) && PASSED_ON.includes(error.code);
}

function isLostSession(error: unknown): boolean {
  return isPortolanError(error) && error.code === 'ERR_SESSION_UNKNOWN';
}
