import type Koa from 'koa';
import type { Era } from './era/classify-message.ts';
import type { MessageId } from './message/message.ts';
import type { ClientBody } from './message/parse-message.ts';

/** What steps leave for the steps after them; each field names the step that sets it. */
export interface RequestState {
  /** readBody: what was sent, byte by byte; undefined when nothing was. */
  body: Buffer | undefined;
  /** parseBody */
  parsed: ClientBody | undefined;
  /** parseBody: of the request in the body, so that a refusal carries it. */
  messageId: MessageId | undefined;
  /** decideEra; undefined for batches, which only sessions know. */
  era: Era | undefined;
}

export type RequestContext = Koa.ParameterizedContext<RequestState, object>;
export type Middleware = Koa.Middleware<RequestState, object>;
/** One thing done for a request. Throws to refuse it. */
export type Step = (ctx: RequestContext) => void | Promise<void>;

/** The state every request starts with. */
export function createRequestState(): RequestState {
  return { body: undefined, parsed: undefined, messageId: undefined, era: undefined };
}

/** A header's value without blanks around it; undefined when it is missing or empty. */
export function headerOf(ctx: RequestContext, name: string): string | undefined {
  const value = ctx.get(name).replace(/^[ \t]+|[ \t]+$/g, '');
  return value === '' ? undefined : value;
}
