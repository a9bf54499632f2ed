import type { AccessDecision, AccessPolicy } from '@portolan/authorization';
import type { Caller, JsonObject, Span } from '@portolan/plugin-api';
import type {
  Actor,
  Catalog,
  EntryFilter,
  Publication,
  PublishedRegistry,
  VisibleClasses,
} from '@portolan/registry';
import type Koa from 'koa';
import type { Parameters } from '../parameters/parameter.ts';
import type { ForwardedRequest } from './forwarded-request.ts';
import type { Route } from './route.ts';
import type { ServerAccess } from './server-access.ts';

/** Data of a request. Each field names the step that sets it. */
export interface RequestState {
  /** assignRequestId: id of the request, in log lines and in the response. */
  requestId: string;
  /** assignRequestId: the path as sent, with percent escapes. */
  path: string;
  /** believeProxies: what a trusted proxy reports about the request; undefined without one. */
  forwarded: ForwardedRequest | undefined;
  /** assignRequestId: monotonic time in milliseconds. */
  startedMs: number;
  /** traceRequest: undefined without tracing. */
  span: Span | undefined;
  /** findRoute: undefined without a match. */
  route: Route | undefined;
  /** findRoute: path parameters, decoded once, not yet validated. */
  pathText: Readonly<Record<string, string>>;
  /** authenticate: access decisions for the whole request. */
  access: ServerAccess | undefined;
  /** authenticate, resolveRoles: undefined for an unauthenticated request. */
  caller: Caller | undefined;
  /** gateRegistry, requireRole: the last access decision. */
  decision: AccessDecision | undefined;
  /** readBody: whether it is waiting for the client. */
  awaitsBody: boolean;
  /** limitTime: aborts when the request exceeds its time limit; undefined for reads. */
  signal: AbortSignal | undefined;
  /** readBody: the raw body. */
  rawBody: Uint8Array | undefined;
  /** readBody: JSON object of the body. */
  body: JsonObject | undefined;
  /** readForm: empty without a body. */
  form: string;
  /** markDryRun: whether the request is a dry run. */
  isDryRun: boolean;
  /** runBeforePublish: publish request after the hook `beforePublish`. */
  publication: Publication | undefined;
  /** reportErrors: code of the error in the response. */
  errorCode: string | undefined;
  /** readParameters: validated path and query parameters. */
  parameters: Parameters | undefined;
  /** authenticate, when it needs to know what is public, otherwise loadRegistry */
  catalog: Catalog | undefined;
  /** loadRegistry: verifies a cached catalog; undefined when it is current. */
  confirmCatalog: ((state: RequestState) => Promise<boolean>) | undefined;
  /** loadRegistry: registry that the path names. */
  registry: PublishedRegistry | undefined;
  /** filterByClaims: claims objects whose entries the caller may see. */
  visible: VisibleClasses;
  /** filterEntries: undefined when no plugin taps the hook. */
  filter: EntryFilter | undefined;
  /** filterEntries: undefined when responses must not be shared. */
  filterKey: string | undefined;
}

export type RequestContext = Koa.ParameterizedContext<RequestState, object>;
export type Middleware = Koa.Middleware<RequestState, object>;

/** Creates the state of a request. No entry is visible until a step sets `visible`. */
export function createRequestState(requestId: string, path: string, startedMs: number): RequestState {
  return {
    requestId,
    path,
    startedMs,
    span: undefined,
    forwarded: undefined,
    route: undefined,
    pathText: {},
    access: undefined,
    caller: undefined,
    decision: undefined,
    awaitsBody: false,
    signal: undefined,
    rawBody: undefined,
    body: undefined,
    form: '',
    isDryRun: false,
    publication: undefined,
    errorCode: undefined,
    parameters: undefined,
    catalog: undefined,
    confirmCatalog: undefined,
    registry: undefined,
    visible: [],
    filter: undefined,
    filterKey: undefined,
  };
}

/** Returns the registry that the path names. Throws when `loadRegistry` did not run. */
export function registryOf(ctx: RequestContext): PublishedRegistry {
  const { registry } = ctx.state;
  if (registry === undefined) throw new TypeError('the step loadRegistry must come first');
  return registry;
}

/** Returns the catalog of the request. Throws when `loadRegistry` did not run. */
export function catalogOf(ctx: RequestContext): Catalog {
  const { catalog } = ctx.state;
  if (catalog === undefined) throw new TypeError('the step loadRegistry must come first');
  return catalog;
}

/** Returns the access decisions of the request. Throws when `authenticate` did not run. */
export function accessOf(ctx: RequestContext): ServerAccess {
  const { access } = ctx.state;
  if (access === undefined) throw new TypeError('the step authenticate must come first');
  return access;
}

/** Returns the access policy of the request. Throws when `authenticate` did not run. */
export function policyOf(ctx: RequestContext): AccessPolicy {
  return accessOf(ctx).policy;
}

export function actorOf(ctx: RequestContext): Actor {
  return { policy: policyOf(ctx), caller: ctx.state.caller };
}

/** Returns the JSON body. Throws when `readBody` did not run. */
export function bodyOf(ctx: RequestContext): JsonObject {
  const { body } = ctx.state;
  if (body === undefined) throw new TypeError('the step readBody must come first');
  return body;
}
