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

/** What steps leave for the steps after them; each field names the step that sets it. */
export interface RequestState {
  /** assignRequestId */
  requestId: string;
  /** assignRequestId: the path as it was sent, percent escapes and all. */
  path: string;
  /** believeProxies: what a trusted proxy says of the request; undefined when none does. */
  forwarded: ForwardedRequest | undefined;
  /** assignRequestId: by the monotonic clock, in milliseconds. */
  startedMs: number;
  /** traceRequest: undefined where requests are not traced. */
  span: Span | undefined;
  /** findRoute; undefined when none matched. */
  route: Route | undefined;
  /** findRoute: path parameters, decoded once, not yet checked. */
  pathText: Readonly<Record<string, string>>;
  /** authenticate: what decides about this request, to its end. */
  access: ServerAccess | undefined;
  /** authenticate, resolveRoles; undefined is nobody. */
  caller: Caller | undefined;
  /** gateRegistry, requireRole: the last decision about access. */
  decision: AccessDecision | undefined;
  /** readBody: whether it waits for the sender now. */
  awaitsBody: boolean;
  /** limitTime: aborts when the request may take no longer; undefined for reads. */
  signal: AbortSignal | undefined;
  /** readBody: what was sent, byte by byte. */
  rawBody: Uint8Array | undefined;
  /** readBody */
  body: JsonObject | undefined;
  /** readForm: empty where nothing was sent. */
  form: string;
  /** markDryRun: whether what is asked for is only to be tried. */
  isDryRun: boolean;
  /** runBeforePublish */
  publication: Publication | undefined;
  /** reportErrors: code of the error that was answered. */
  errorCode: string | undefined;
  /** readParameters */
  parameters: Parameters | undefined;
  /** authenticate, where it has to know what is public, else loadRegistry */
  catalog: Catalog | undefined;
  /** loadRegistry: where it went on with the catalog it knew, how to find out whether that is still the newest. */
  confirmCatalog: ((state: RequestState) => Promise<boolean>) | undefined;
  /** loadRegistry */
  registry: PublishedRegistry | undefined;
  /** filterByClaims */
  visible: VisibleClasses;
  /** filterEntries: undefined when nothing taps the hook. */
  filter: EntryFilter | undefined;
  /** filterEntries: what cached answers depend on; undefined when they may not be shared. */
  filterKey: string | undefined;
}

export type RequestContext = Koa.ParameterizedContext<RequestState, object>;
export type Middleware = Koa.Middleware<RequestState, object>;

/** The state every request starts with. Nothing is visible until a step says so. */
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

/** The registry of the request. Throws when the step `loadRegistry` did not run before. */
export function registryOf(ctx: RequestContext): PublishedRegistry {
  const { registry } = ctx.state;
  if (registry === undefined) throw new TypeError('the step loadRegistry has to come first');
  return registry;
}

/** The catalog of the request. Throws when the step `loadRegistry` did not run before. */
export function catalogOf(ctx: RequestContext): Catalog {
  const { catalog } = ctx.state;
  if (catalog === undefined) throw new TypeError('the step loadRegistry has to come first');
  return catalog;
}

/** What decides about the request. Throws when the step `authenticate` did not run before. */
export function accessOf(ctx: RequestContext): ServerAccess {
  const { access } = ctx.state;
  if (access === undefined) throw new TypeError('the step authenticate has to come first');
  return access;
}

/** The policy of the request. Throws when the step `authenticate` did not run before. */
export function policyOf(ctx: RequestContext): AccessPolicy {
  return accessOf(ctx).policy;
}

/** Who asks, and by which policy it is decided. */
export function actorOf(ctx: RequestContext): Actor {
  return { policy: policyOf(ctx), caller: ctx.state.caller };
}

/** The body of the request. Throws when the step `readBody` did not run before. */
export function bodyOf(ctx: RequestContext): JsonObject {
  const { body } = ctx.state;
  if (body === undefined) throw new TypeError('the step readBody has to come first');
  return body;
}
