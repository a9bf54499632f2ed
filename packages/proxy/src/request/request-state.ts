import type { OwnRequest, Era, Message, MessageId, ClientBody } from '@portolan/mcp-protocol';
import type Koa from 'koa';
import type { ClientMessage, ClientRequest, Identity, MadeRefusal } from '@portolan/plugin-api';
import type { Changer } from './changer.ts';

/** What steps leave for the steps after them; each field names the step that sets it. */
export interface RequestState {
  /** takeOwnRequest: the request of the supervisor that this is; undefined for requests of clients. */
  ownRequest: OwnRequest | undefined;
  /** readBody: what was sent, byte by byte; undefined when nothing was. */
  body: Buffer | undefined;
  /** parseBody */
  parsed: ClientBody | undefined;
  /** parseBody: of the request in the body, so that a refusal carries it. */
  messageId: MessageId | undefined;
  /** decideEra; of the messages of a batch, splitBatches. */
  era: Era | undefined;
  /** parseBody, splitBatches: what was said, one by one; slots put in the place of each what they make of it. */
  messages: readonly PathMessage[];
  /** splitBatches */
  isBatch: boolean;
  /** enterSession: that of a server which speaks HTTP itself, with the revision that was agreed on. */
  session: { readonly revision: string | undefined } | undefined;
  /** observe: undefined where nobody stands in a slot. */
  request: ClientRequest | undefined;
  /** authenticate: who asks; undefined where nobody has to say. */
  caller: Identity | undefined;
  /** authenticate: whom its sessions belong to, see `principalOf`; undefined where nobody has to prove who they are. */
  owner: string | undefined;
  /** authenticate, while it is asked who asks: refusals are then OAuth's own. */
  challenging: Challenging | undefined;
  /** noteRefusal: what was refused, of all or of one of its messages. */
  readonly refusals: MadeRefusal[];
}

/** What a client without a good credential is told beside the challenge. */
export interface Challenging {
  /** Where it is told how to get one (RFC 9728); undefined where nothing can be told. */
  readonly metadata: () => string | undefined;
}

/** One message on its way. */
export interface PathMessage {
  readonly message: Message;
  /** As policies see it; undefined where there is none. */
  readonly view: ClientMessage | undefined;
  /** Policies that have changed it. */
  readonly changedBy: readonly Changer[];
  /** What the client gets without the server being asked: JSON, or nothing at all for what wants no answer. */
  readonly settled: { readonly answer: string | undefined } | undefined;
}

export type RequestContext = Koa.ParameterizedContext<RequestState, object>;
export type Middleware = Koa.Middleware<RequestState, object>;
/** One thing done for a request. Throws to refuse it. */
export type Step = (ctx: RequestContext) => void | Promise<void>;

/** The state every request starts with. */
export function createRequestState(): RequestState {
  return {
    ownRequest: undefined,
    body: undefined,
    parsed: undefined,
    messageId: undefined,
    era: undefined,
    messages: [],
    isBatch: false,
    session: undefined,
    request: undefined,
    caller: undefined,
    owner: undefined,
    challenging: undefined,
    refusals: [],
  };
}

/** A header's value without blanks around it; undefined when it is missing or empty. */
export function headerOf(ctx: RequestContext, name: string): string | undefined {
  const value = ctx.get(name);
  if (value === '') return undefined;
  // Few have any.
  if (!isBlank(value.charCodeAt(0)) && !isBlank(value.charCodeAt(value.length - 1))) return value;
  const trimmed = withoutBlanks(value);
  return trimmed === '' ? undefined : trimmed;
}

/** A header's value without blanks around it. Blanks inside it are looked at once. */
export function withoutBlanks(value: string): string {
  return value.replace(/^[ \t]+|(?<![ \t])[ \t]+$/g, '');
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}
