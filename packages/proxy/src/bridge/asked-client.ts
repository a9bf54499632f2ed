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
  readonly #pending = new IdMap<AskedClient>('q');
  readonly #limits: AskLimits;
  readonly #expired: (client: AskedClient) => void;

  constructor(limits: AskLimits, expired: (client: AskedClient) => void) {
    this.#limits = limits;
    this.#expired = expired;
  }

  add(request: RequestMessage, cause: Reply | undefined): AskedClient {
    const client = this.#pending.add((minted) => ({ minted, request, cause, timer: undefined }));
    this.#arm(client, this.#limits.deliverMs);
    return client;
  }

  delivered(request: AskedClient): void {
    if (this.#pending.find(request.minted) === request) this.#arm(request, this.#limits.requestMs);
  }

  take(id: MessageId): AskedClient | undefined {
    const client = this.#pending.take(id);
    clearTimeout(client?.timer);
    return client;
  }

  findByServerId(id: MessageId): AskedClient | undefined {
    return this.#pending.list().find(({ request }) => request.id.key === id.key);
  }

  causedBy(cause: Reply): readonly AskedClient[] {
    return this.#pending.list().filter((client) => client.cause === cause);
  }

  clear(): void {
    for (const { minted } of this.#pending.list()) this.take(minted);
  }

  #arm(client: AskedClient, ms: number): void {
    clearTimeout(client.timer);
    client.timer = setTimeout(() => {
      if (this.take(client.minted) !== undefined) this.#expired(client);
    }, ms);
  }
}
