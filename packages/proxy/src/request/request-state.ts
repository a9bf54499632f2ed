import type { OwnRequest, Era, Message, MessageId, ClientBody } from '@portolan/mcp-protocol';
import type Koa from 'koa';
import type { ClientMessage, ClientRequest, Identity, MadeRefusal } from '@portolan/plugin-api';
import type { Changer } from './changer.ts';

/** State of a request in the message path. Each comment begins with the step that sets the field. */
export interface RequestState {
  /** takeOwnRequest: the supervisor's health request, if it is one. */
  ownRequest: OwnRequest | undefined;
  body: Buffer | undefined;
  parsed: ClientBody | undefined;
  /** parseBody: the id of the request, for error responses. */
  messageId: MessageId | undefined;
  /** decideEra, or splitBatches for a batch. */
  era: Era | undefined;
  /**
   * parseBody, splitBatches: the messages of the request. Middleware slots replace a message that they
   * change.
   */
  messages: readonly PathMessage[];
  isBatch: boolean;
  session: { readonly revision: string | undefined } | undefined;
  /** observe: the request as policies see it. Undefined without middleware. */
  request: ClientRequest | undefined;
  /** authenticate: the identity. Undefined without an auth provider. */
  caller: Identity | undefined;
  /** authenticate: see `principalOf`. Undefined when callers do not authenticate. */
  owner: string | undefined;
  /** authenticate: set while the provider runs, because its refusals are OAuth errors. */
  challenging: Challenging | undefined;
  readonly refusals: MadeRefusal[];
}

export interface Challenging {
  /** Returns the address of the metadata (RFC 9728), if there is one. */
  readonly metadata: () => string | undefined;
}

export interface PathMessage {
  readonly message: Message;
  readonly view: ClientMessage | undefined;
  readonly changedBy: readonly Changer[];
  /**
   * Response of the proxy itself, as JSON, to a message that the server does not get. The inner value is
   * undefined when the message needs no response.
   */
  readonly settled: { readonly response: string | undefined } | undefined;
}

export type RequestContext = Koa.ParameterizedContext<RequestState, object>;
export type Middleware = Koa.Middleware<RequestState, object>;
/** Step of the message path. Throws to refuse the request. */
export type Step = (ctx: RequestContext) => void | Promise<void>;

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

/** Returns the trimmed value of a header; undefined when it is missing or empty. */
export function headerOf(ctx: RequestContext, name: string): string | undefined {
  const value = ctx.get(name);
  if (value === '') return undefined;
  // Fast path: few values have blanks.
  if (!isBlank(value.charCodeAt(0)) && !isBlank(value.charCodeAt(value.length - 1))) return value;
  const trimmed = withoutBlanks(value);
  return trimmed === '' ? undefined : trimmed;
}

/**
 * Removes surrounding blanks in linear time, because the pattern reads runs of blanks inside the value only
 * once.
 */
export function withoutBlanks(value: string): string {
  return value.replace(/^[ \t]+|(?<![ \t])[ \t]+$/g, '');
}

function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09;
}
