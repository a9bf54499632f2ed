import {
  type MessageId,
  memberOf,
  type NotificationMessage,
  type RequestMessage,
  type ResponseMessage,
} from '@portolan/mcp-protocol';
import { RunningTasks } from './running-tasks.ts';

type Pending = Pick<RequestMessage, 'method' | 'params'>;

/** Notifications with the status of a task, in the revisions that have tasks. */
const TASK_STATUS: readonly string[] = ['notifications/tasks/status', 'notifications/tasks'];

/**
 * Current uses of a connection: requests without a response, subscriptions and tasks. The server may stop only while
 * there is none.
 */
export class ConnectionActivity {
  readonly #nowMs: () => number;
  readonly #pending = new Map<string, Pending>();
  readonly #ofServer = new Set<string>();
  readonly #subscriptions = new Set<string>();
  readonly #tasks: RunningTasks;
  #lastMs: number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
    this.#tasks = new RunningTasks(nowMs);
    this.#lastMs = nowMs();
  }

  get isBusy(): boolean {
    return (
      this.#pending.size > 0 ||
      this.#ofServer.size > 0 ||
      this.#subscriptions.size > 0 ||
      !this.#tasks.isEmpty
    );
  }

  /** Time of the last request or response, by the monotonic clock. */
  get lastMs(): number {
    return this.#lastMs;
  }

  /** Records a request of the client. */
  begin({ id, method, params }: RequestMessage): void {
    this.#pending.set(id.key, { method, params });
    this.touch();
  }

  /**
   * Records the response to a request of the client; undefined for a request that gets no response. Returns false when
   * the client sent no request with this id.
   */
  settle(id: MessageId, response: ResponseMessage | undefined): boolean {
    const request = this.#pending.get(id.key);
    if (request === undefined) return false;
    this.#pending.delete(id.key);
    this.touch();
    if (response !== undefined) this.#learn(request, response);
    return true;
  }

  /** Records a request of the server, which waits for the client. */
  requested({ id }: RequestMessage): void {
    this.#ofServer.add(id.key);
  }

  /** Records that the server cancelled a request of its own. */
  cancelledByServer({ key }: MessageId): void {
    this.#ofServer.delete(key);
  }

  /** Records the client's response to a request of the server. */
  responded({ id }: ResponseMessage): void {
    if (this.#ofServer.delete(id.key)) this.touch();
  }

  notified({ method, params }: NotificationMessage): void {
    if (TASK_STATUS.includes(method)) this.#tasks.noteStatus(params);
  }

  touch(): void {
    this.#lastMs = this.#nowMs();
  }

  #learn({ method, params }: Pending, { isError, result }: ResponseMessage): void {
    if (isError) {
      this.#tasks.noteError(method, params);
      return;
    }
    const uri = memberOf(params, 'uri');
    if (method === 'resources/subscribe' && typeof uri === 'string') this.#subscriptions.add(uri);
    else if (method === 'resources/unsubscribe' && typeof uri === 'string') this.#subscriptions.delete(uri);
    else this.#tasks.noteResult(method, params, result);
  }
}
