import {
  IdMap,
  isJsonObject,
  type JsonRecord,
  memberOf,
  type MessageId,
  type ResponseMessage,
  writeNotification,
} from '@portolan/mcp-protocol';
import { randomUUID } from 'node:crypto';
import { setMembers, textAt } from './rewrite-members.ts';

/** Request of a server to its client. */
export interface InputRequest {
  readonly method: string;
  /** JSON text of the parameters. */
  readonly params: string | undefined;
}

/** Methods that servers may send to clients, with the capabilities that they need. */
const NEEDS: ReadonlyMap<string, string> = new Map([
  ['sampling/createMessage', 'sampling'],
  ['elicitation/create', 'elicitation'],
  ['roots/list', 'roots'],
]);

/** Requests of Modern clients that may end with `input_required`. */
const INPUT_TAKING: readonly string[] = ['tools/call', 'prompts/get', 'resources/read'];

/** Returns whether a Modern client can respond to requests of the server while it waits for this one. */
export function takesInput(method: string): boolean {
  return INPUT_TAKING.includes(method);
}

export function isInputMethod(method: string): boolean {
  return NEEDS.has(method);
}

/** Returns the capability that the client lacks for a request; undefined when it lacks none. */
export function findMissing(
  { method, params }: InputRequest,
  capabilities: JsonRecord | undefined,
): JsonRecord | undefined {
  const name = NEEDS.get(method);
  if (name === undefined) return {};
  const declared = memberOf(capabilities, name);
  const isUrl = method === 'elicitation/create' && readMode(params) === 'url';
  if (!isUrl) return declared === undefined ? { [name]: {} } : undefined;
  const hasUrl = isJsonObject(declared) && memberOf(declared, 'url') !== undefined;
  return hasUrl ? undefined : { elicitation: { url: {} } };
}

function readMode(params: string | undefined): unknown {
  const mode = params === undefined ? undefined : textAt(params, ['mode']);
  return mode === undefined ? undefined : (JSON.parse(mode) as unknown);
}

interface Pending {
  readonly minted: MessageId;
  readonly settle: (response: ResponseMessage | undefined) => void;
}

/** Requests to one Legacy client that wait for its response. */
export class ClientRequests {
  readonly #pending = new IdMap<Pending>('e');
  readonly #send: (text: string) => void;

  constructor(send: (text: string) => void) {
    this.#send = send;
  }

  /** Sends a request to the client. Resolves with undefined when it is cancelled. */
  ask({ method, params }: InputRequest): {
    readonly response: Promise<ResponseMessage | undefined>;
    cancel(): void;
  } {
    const { promise, resolve } = Promise.withResolvers<ResponseMessage | undefined>();
    const { minted } = this.#pending.add((id) => ({ minted: id, settle: resolve }));
    const member = params === undefined ? '' : `,"params":${completeParams(method, params)}`;
    this.#send(`{"jsonrpc":"2.0","id":${minted.text},"method":${JSON.stringify(method)}${member}}`);
    return {
      response: promise,
      cancel: () => {
        if (this.#pending.take(minted) === undefined) return;
        this.#send(writeNotification('notifications/cancelled', `{"requestId":${minted.text}}`));
        resolve(undefined);
      },
    };
  }

  /** Returns whether a request waits for this response. */
  respond(response: ResponseMessage): boolean {
    const pending = this.#pending.take(response.id);
    pending?.settle(response);
    return pending !== undefined;
  }

  close(): void {
    for (const { minted, settle } of this.#pending.list()) {
      this.#pending.take(minted);
      settle(undefined);
    }
  }
}

/** Adds the elicitation id that Legacy revisions require in URL mode. */
function completeParams(method: string, params: string): string {
  const isUrl = method === 'elicitation/create' && readMode(params) === 'url';
  if (!isUrl || textAt(params, ['elicitationId']) !== undefined) return params;
  return setMembers(params, [], { elicitationId: JSON.stringify(randomUUID()) });
}
