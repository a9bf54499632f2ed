import {
  IdMap,
  memberOf,
  type JsonRecord,
  type MessageId,
  type RequestMessage,
} from '@portolan/mcp-protocol';
import type { Reply } from './reply.ts';

export interface AskedClient {
  readonly minted: MessageId;
  readonly request: RequestMessage;
  /** Reply to the client request during which the server sent its own request; undefined when unknown. */
  readonly cause: Reply | undefined;
  timer: NodeJS.Timeout | undefined;
}

/** Time limits in milliseconds. */
export interface AskLimits {
  readonly deliverMs: number;
  readonly requestMs: number;
}

const CAPABILITIES: ReadonlyMap<string, string> = new Map([
  ['sampling', 'sampling'],
  ['elicitation', 'elicitation'],
  ['roots', 'roots'],
  ['tasks', 'tasks'],
]);

export function isDeclared(method: string, capabilities: JsonRecord | undefined): boolean {
  if (method === 'ping') return true;
  const [area = ''] = method.split('/');
  return memberOf(capabilities, CAPABILITIES.get(area) ?? 'experimental') !== undefined;
}

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

  delivered(asked: AskedClient): void {
    if (this.#asked.find(asked.minted) === asked) this.#arm(asked, this.#limits.requestMs);
  }

  take(id: MessageId): AskedClient | undefined {
    const asked = this.#asked.take(id);
    clearTimeout(asked?.timer);
    return asked;
  }

  findByServerId(id: MessageId): AskedClient | undefined {
    return this.#asked.list().find(({ request }) => request.id.key === id.key);
  }

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
