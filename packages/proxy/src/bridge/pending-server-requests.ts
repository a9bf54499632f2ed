import {
  IdMap,
  memberOf,
  type JsonRecord,
  type MessageId,
  type RequestMessage,
} from '@portolan/mcp-protocol';
import type { Reply } from './reply.ts';

export interface PendingServerRequest {
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

export class PendingServerRequests {
  readonly #pending = new IdMap<PendingServerRequest>('q');
  readonly #limits: AskLimits;
  readonly #expired: (client: PendingServerRequest) => void;

  constructor(limits: AskLimits, expired: (client: PendingServerRequest) => void) {
    this.#limits = limits;
    this.#expired = expired;
  }

  add(request: RequestMessage, cause: Reply | undefined): PendingServerRequest {
    const client = this.#pending.add((minted) => ({ minted, request, cause, timer: undefined }));
    this.#arm(client, this.#limits.deliverMs);
    return client;
  }

  delivered(request: PendingServerRequest): void {
    if (this.#pending.find(request.minted) === request) this.#arm(request, this.#limits.requestMs);
  }

  take(id: MessageId): PendingServerRequest | undefined {
    const client = this.#pending.take(id);
    clearTimeout(client?.timer);
    return client;
  }

  findByServerId(id: MessageId): PendingServerRequest | undefined {
    return this.#pending.list().find(({ request }) => request.id.key === id.key);
  }

  causedBy(cause: Reply): readonly PendingServerRequest[] {
    return this.#pending.list().filter((client) => client.cause === cause);
  }

  clear(): void {
    for (const { minted } of this.#pending.list()) this.take(minted);
  }

  #arm(client: PendingServerRequest, ms: number): void {
    clearTimeout(client.timer);
    client.timer = setTimeout(() => {
      if (this.take(client.minted) !== undefined) this.#expired(client);
    }, ms);
  }
}
