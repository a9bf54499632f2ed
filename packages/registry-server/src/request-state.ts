import type { AccessDecision } from '@portolan/authorization';
import type { Caller } from '@portolan/plugin-api';
import type { Catalog, EntryFilter, PublishedRegistry, VisibleClasses } from '@portolan/registry';
import type Koa from 'koa';
import type { Parameters } from './parameters/read-parameters.ts';

/** What steps leave for the steps after them; each field names the step that sets it. */
export interface RequestState {
  /** assignRequestId */
  requestId: string;
  /** assignRequestId: the path as it was sent, percent escapes and all. */
  path: string;
  /** assignRequestId: by the monotonic clock, in milliseconds. */
  startedMs: number;
  /** The router: the pattern of the route; undefined when none matched. */
  route: string | undefined;
  /** The router: path parameters, decoded once, not yet checked. */
  pathText: Readonly<Record<string, string>>;
  /** authenticate, resolveRoles; undefined is nobody. */
  caller: Caller | undefined;
  /** gateRegistry: the last decision about access. */
  decision: AccessDecision | undefined;
  /** reportErrors: code of the error that was answered. */
  errorCode: string | undefined;
  /** readParameters */
  parameters: Parameters | undefined;
  /** loadRegistry */
  catalog: Catalog | undefined;
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
    route: undefined,
    pathText: {},
    caller: undefined,
    decision: undefined,
    errorCode: undefined,
    parameters: undefined,
    catalog: undefined,
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
