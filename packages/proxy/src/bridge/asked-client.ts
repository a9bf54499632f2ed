import {
  IdMap,
  memberOf,
  type JsonRecord,
  type MessageId,
  type RequestMessage,
} from '@portolan/mcp-protocol';
import type { Reply } from './reply.ts';

/** A request of a server that a client was asked, or is about to be. */
export interface AskedClient {
  /** Towards the client. */
  readonly minted: MessageId;
  readonly request: RequestMessage;
  /** The client's own request that made the server ask, when that is known. */
  readonly cause: Reply | undefined;
  timer: NodeJS.Timeout | undefined;
}

/** Times in milliseconds. */
export interface AskLimits {
  /** How long a stream to the client is waited for. */
  readonly deliverMs: number;
  /** How long the client may take to answer. */
  readonly requestMs: number;
}

/** Which capability of a client lets a server ask such things. */
const CAPABILITIES: ReadonlyMap<string, string> = new Map([
  ['sampling', 'sampling'],
  ['elicitation', 'elicitation'],
  ['roots', 'roots'],
  ['tasks', 'tasks'],
]);

/** Whether a client said that it can be asked this. */
export function isDeclared(method: string, capabilities: JsonRecord | undefined): boolean {
  if (method === 'ping') return true;
  const [area = ''] = method.split('/');
  return memberOf(capabilities, CAPABILITIES.get(area) ?? 'experimental') !== undefined;
}

/** Requests of one server to one client, each with a deadline. */
export class AskedClients {
  readonly #asked = new IdMap<AskedClient>('q');
  readonly #limits: AskLimits;
  readonly #expired: (asked: AskedClient) => void;

  constructor(limits: AskLimits, expired: (asked: AskedClient) => void) {
    this.#limits = limits;
    this.#expired = expired;
  }

  add(request: RequestMessage, cause: Reply | undefined): AskedClient {
    const asked = this.#asked.add((minted) => ({ minted, request, cause, timer: undefined }));
    this.#arm(asked, this.#limits.deliverMs);
    return asked;
  }

  /** The client has it, and the time for its answer begins. */
  delivered(asked: AskedClient): void {
    if (this.#asked.find(asked.minted) === asked) this.#arm(asked, this.#limits.requestMs);
  }

  take(id: MessageId): AskedClient | undefined {
    const asked = this.#asked.take(id);
    clearTimeout(asked?.timer);
    return asked;
  }

  /** By the id that the server gave it. */
  findByServerId(id: MessageId): AskedClient | undefined {
    return this.#asked.list().find(({ request }) => request.id.key === id.key);
  }

  /** What was asked because of this request of the client. */
  causedBy(cause: Reply): readonly AskedClient[] {
    return this.#asked.list().filter((asked) => asked.cause === cause);
  }

  clear(): void {
    for (const { minted } of this.#asked.list()) this.take(minted);
  }

  #arm(asked: AskedClient, ms: number): void {
    clearTimeout(asked.timer);
    asked.timer = setTimeout(() => {
      if (this.take(asked.minted) !== undefined) this.#expired(asked);
    }, ms);
  }
}
