import type { OwnRequest, Era, Message, MessageId, ClientBody } from '@portolan/mcp-protocol';
import type Koa from 'koa';
import type { ClientMessage, ClientRequest, Identity, MadeRefusal } from '@portolan/plugin-api';
import type { Changer } from './changer.ts';

/** State of a request in the message path. The comments name the step that sets the field. */
export interface RequestState {
  /** Request of the supervisor itself, set by takeOwnRequest; undefined for other requests. */
  ownRequest: OwnRequest | undefined;
  body: Buffer | undefined;
  parsed: ClientBody | undefined;
  /** Id of the request for error responses, set by parseBody. */
  messageId: MessageId | undefined;
  /** Set by decideEra, or by splitBatches for a batch. */
  era: Era | undefined;
  /**
   * Messages of the request, set by the steps parseBody and splitBatches. Middleware does not modify a
   * message but puts a changed copy in its place.
   */
  messages: readonly PathMessage[];
  isBatch: boolean;
  session: { readonly revision: string | undefined } | undefined;
  /** Request as policies see it, set by observe; undefined without middleware. */
  request: ClientRequest | undefined;
  /** Identity of the caller, set by authenticate; undefined without an auth provider. */
  caller: Identity | undefined;
  /** Result of `principalOf`, set by authenticate; undefined when callers do not authenticate. */
  owner: string | undefined;
  /** Set by authenticate while the provider runs, because its refusals are OAuth errors. */
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
