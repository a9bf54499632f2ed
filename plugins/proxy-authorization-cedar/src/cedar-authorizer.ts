import {
  bareListChange,
  type ClientExchange,
  type ClientMessage,
  type ClientVerdict,
  type Identity,
  type Logger,
  type MessageChange,
  type ProxyMiddleware,
  type RequestView,
  type ResponseView,
  type ServerMessage,
  type ServerVerdict,
} from '@portolan/plugin-api';
import type { Attributes } from './engine/arguments.ts';
import type { CedarConfig } from './cedar-config.ts';
import { DecisionTurns } from './decisions/decision-turns.ts';
import type { DenialReason, Denials, DeniedMessage } from './denials/denials.ts';
import { explainDenial } from './denials/explain-denial.ts';
import {
  changesOf,
  decideInTurns,
  type NamedItem,
  privateTo,
  readList,
  refuseLongList,
} from './decisions/filter-list.ts';
import { FilteredLists } from './decisions/filtered-lists.ts';
import { nameOf } from './engine/known-entities.ts';
import { narrowListen, refuseTooMany } from './decisions/narrow-listen.ts';
import { PolicySet, type Question, type ReadPolicies } from './policies/policy-set.ts';
import { type Principal, principalOf } from './request/principal.ts';
import { type AskedServer, questionOf } from './decisions/question.ts';
import { RecentDecisions } from './decisions/recent-decisions.ts';
import { beginsTask, ownerOf, SeenTasks } from './decisions/seen-tasks.ts';
import { shownValues } from './decisions/shown-values.ts';
import {
  type ListedItems,
  NO_TASK_LISTS,
  type Target,
  type TaskItems,
  treatmentOf,
} from './request/target.ts';
import { MAX_TOOLS, ToolAnnotations } from './request/tool-annotations.ts';

export interface AuthorizerOptions extends AskedServer {
  readonly denials: Denials;
  readonly logger: Logger;
  /** Monotonic time in milliseconds. */
  readonly nowMs: () => number;
}

const NOBODY: DenialReason = { because: ['The caller is not authenticated.'] };

/** Request for warming up Cedar, whose decision is ignored. */
const NOBODY_ASKS: Question = {
  principal: { uid: { type: 'Client', id: '' }, attrs: {}, parents: [] },
  action: 'call_tool',
  resource: { uid: { type: 'Tool', id: '' }, attrs: {}, parents: [] },
  context: {},
};

/**
 * Authorizes each call before it is forwarded, and each list in a response.
 * A denied caller gets only an id: `{ refuse: { data: { denialId } } }`. With `authz why`, the operator reads
 * the reason.
 */
export class CedarAuthorizer implements ProxyMiddleware {
  readonly #options: AuthorizerOptions;
  readonly #server: AskedServer;
  readonly #annotations = new ToolAnnotations();
  readonly #tasks = new SeenTasks<Target>();
  readonly #decisions = new RecentDecisions();
  readonly #filtered = new FilteredLists();
  readonly #turns: DecisionTurns;
  /** Number of requests that Cedar failed to decide. */
  #undecided = 0;
  /** Latest complete tool list, whose annotations are stored. */
  #learned: unknown;
  #principals = new WeakMap<Identity, { readonly is: Principal | undefined }>();
  #settings: CedarConfig['cedar'];
  #policies: PolicySet;

  constructor(settings: CedarConfig['cedar'], read: ReadPolicies, options: AuthorizerOptions) {
    this.#options = options;
    this.#server = { server: options.server, hasMembers: options.hasMembers };
    this.#turns = new DecisionTurns(options.nowMs);
    this.#settings = settings;
    this.#policies = new PolicySet(read);
  }

  adopt(settings: CedarConfig['cedar'], read: ReadPolicies): void {
    const before = this.#policies;
    this.#policies = new PolicySet(read);
    this.#settings = settings;
    this.#decisions.clear();
    this.#filtered.clear();
    this.#principals = new WeakMap();
    before.close();
  }

  onMessage(
    message: ClientMessage,
    exchange: ClientExchange,
  ): ClientVerdict | undefined | Promise<ClientVerdict> {
    if (message.kind === 'response') return undefined;
    const isTold = message.kind === 'notification';
    if (isTold && message.method.startsWith('notifications/')) return undefined;
    // Some servers also run calls that arrive as notifications.
    const treatment = treatmentOf(message.method, message.params);
    switch (treatment.is) {
      case 'allowed':
      case 'listed':
        return undefined;
      case 'tasksListed':
        return this.#settings.list_tasks === true && exchange.era !== 'modern'
          ? undefined
          : this.#deny(message, exchange, { because: [NO_TASK_LISTS] });
      case 'denied':
        return this.#deny(message, exchange, { because: [treatment.because] });
      case 'narrowed':
        return isTold
          ? this.#deny(message, exchange, { because: ['It is not a request.'] })
          : this.#narrow(message, exchange);
      case 'decided':
        return this.#judge(message, exchange, treatment.target);
      case 'task':
        break;
    }
    return this.#judgeTask(message, exchange, treatment.taskId);
  }

  onResponse(
    message: ServerMessage,
    exchange: ClientExchange,
  ): ServerVerdict | undefined | Promise<ServerVerdict | undefined> {
    const { message: request } = exchange;
    if (message.kind === 'notification') return bareListChange(message);
    // Error responses contain no list to filter.
    if (message.kind !== 'response' || message.error !== undefined || request?.kind !== 'request')
      return undefined;
    if (request.method === 'tools/call' && !beginsTask(message.result)) return undefined;
    const treatment = treatmentOf(request.method, request.params);
    if (treatment.is === 'decided') return this.#judgeResult(message, exchange, request, treatment.target);
    if (treatment.is === 'tasksListed') return this.#filterTasks(message, exchange, treatment.items);
    return treatment.is === 'listed' ? this.#filter(message, exchange, request, treatment.items) : undefined;
  }

  namedTools(): readonly string[] {
    return this.#policies.namedTools;
  }

  /** V8 compiles the functions of Cedar's WebAssembly on their first call. */
  warmUp(): void {
    this.#policies.decide(NOBODY_ASKS);
  }

  async close(): Promise<void> {
    this.#policies.close();
    await this.#options.denials.close();
  }

  #judge(
    message: DeniedMessage,
    exchange: ClientExchange,
    target: Target,
  ): ClientVerdict | undefined | Promise<ClientVerdict> {
    if (this.#allows(exchange.caller, target)) return undefined;
    const question = this.#questionOf(exchange.caller, target);
    if (question === undefined) return this.#deny(message, exchange, NOBODY);
    // Decide again, without the cache, to get the reason for the denial.
    const decision = this.#policies.decide(question);
    return this.#deny(message, exchange, {
      ...explainDenial(question, decision, this.#policies),
      target: nameOf(question.resource.uid),
      saw: valuesOf(question),
    });
  }

  /**
   * Decides about a task like about the call that began it. Only the caller of that call may use the task.
   */
  #judgeTask(
    message: DeniedMessage,
    exchange: ClientExchange,
    taskId: string,
  ): ClientVerdict | undefined | Promise<ClientVerdict> {
    const own = this.#tasks.findOwn(taskId, exchange.caller);
    if (own !== undefined) return this.#judge(message, exchange, own.target);
    const because =
      this.#tasks.find(taskId) === undefined
        ? 'Its task was not seen to begin here.'
        : 'Another caller began its task.';
    return this.#deny(message, exchange, { because: [because] });
  }

  #narrow({ params }: DeniedMessage, { caller }: ClientExchange): ClientVerdict | undefined {
    const tooMany = refuseTooMany(params);
    if (tooMany !== undefined) return tooMany;
    const change = narrowListen(params, {
      resource: (uri) => this.#allows(caller, { feature: 'resource', name: uri, args: {} }),
      task: (id) => this.#allowsTask(caller, id),
    });
    return change.length === 0 ? undefined : { change };
  }

  #judgeResult(
    { result }: ResponseView,
    { caller, era }: ClientExchange,
    requestView: RequestView,
    target: Target,
  ): ServerVerdict | undefined {
    if (requestView.method === 'tools/call') {
      const owner = ownerOf(caller);
      if (owner !== undefined) this.#tasks.learn(result, { target, owner });
      return undefined;
    }
    const change = requestView.method === 'resources/read' ? privateTo(result, era === 'modern') : [];
    return change.length === 0 ? undefined : { change };
  }

  async #filter(
    { result }: ResponseView,
    { caller, era }: ClientExchange,
    request: RequestView,
    items: ListedItems,
  ): Promise<ServerVerdict | undefined> {
    const { logger } = this.#options;
    const listed = readList(result, items, logger);
    if ('refused' in listed) return listed.refused;
    if (request.method === 'tools/list' && !this.#learn(result, request, listed.items)) {
      return refuseLongList('tools on all pages', MAX_TOOLS + 1, logger, MAX_TOOLS);
    }
    const removed = await this.#removalsOf(result, items, listed.items, caller);
    const change = [...removed, ...privateTo(result, era === 'modern')];
    return change.length === 0 ? undefined : { change };
  }

  async #removalsOf(
    result: unknown,
    { feature, member }: ListedItems,
    listed: readonly NamedItem[],
    caller: Identity | undefined,
  ): Promise<readonly MessageChange[]> {
    const keyOf = (): string => `${feature} ${this.#principalOf(caller)?.key}`;
    const before = this.#filtered.find(result, keyOf());
    if (before !== undefined) return before;
    const undecided = this.#undecided;
    const hintsOf = feature === 'tool' ? this.#annotations.snapshot() : (): Attributes => ({});
    const allowed = await this.#decideInTurns(
      listed,
      ({ name }) => name.isWellFormed() && this.#allows(caller, { feature, name, args: {} }, hintsOf(name)),
    );
    const change = changesOf({ member }, listed, (item) => allowed.has(item));
    // Cedar failed for one item of the list.
    if (this.#undecided === undecided) this.#filtered.remember(result, keyOf(), change);
    return change;
  }

  /** Decides about a list in several event loop turns. Starts again when the policies change meanwhile. */
  async #decideInTurns(
    items: readonly NamedItem[],
    isAllowed: (item: NamedItem) => boolean,
  ): Promise<ReadonlySet<NamedItem>> {
    for (;;) {
      const policies = this.#policies;
      const allowed = await decideInTurns(items, isAllowed, this.#turns);
      if (this.#policies === policies) return allowed;
    }
  }

  async #filterTasks(
    { result }: ResponseView,
    { caller, era }: ClientExchange,
    items: TaskItems,
  ): Promise<ServerVerdict | undefined> {
    const listed = readList(result, items, this.#options.logger);
    if ('refused' in listed) return listed.refused;
    const isAllowed = ({ name }: NamedItem): boolean => this.#allowsTask(caller, name);
    const allowed = await this.#decideInTurns(listed.items, isAllowed);
    const change = [
      ...changesOf(items, listed.items, (item) => allowed.has(item)),
      ...privateTo(result, era === 'modern'),
    ];
    return change.length === 0 ? undefined : { change };
  }

  /** Returns whether the caller may still make the call that began the task. */
  #allowsTask(caller: Identity | undefined, id: string): boolean {
    const own = this.#tasks.findOwn(id, caller);
    return own !== undefined && this.#allows(caller, own.target);
  }

  #learn(result: unknown, { params }: RequestView, listed: readonly NamedItem[]): boolean {
    // SAFETY: a list was found in it.
    const { nextCursor } = result as { readonly nextCursor?: unknown };
    const isWhole = params?.['cursor'] === undefined && nextCursor === undefined;
    // The proxy passed the same frozen list as last time.
    if (isWhole && this.#learned === result && Object.isFrozen(result)) return true;
    const isLearned = this.#annotations.learn(
      listed.map(({ item }) => item),
      isWhole,
    );
    if (isLearned) this.#learned = isWhole ? result : undefined;
    return isLearned;
  }

  #allows(caller: Identity | undefined, target: Target, hints = this.#hintsOf(target)): boolean {
    const principal = this.#principalOf(caller);
    if (principal === undefined) return false;
    const { feature, name, args } = target;
    const cacheKey = JSON.stringify([feature, name, this.#policies.narrow(args), hints]);
    return this.#decisions.decide(principal.key, cacheKey, () => {
      const question = questionOf(principal, target, { ...this.#server, hints });
      const { isAllowed, errors } = this.#policies.decide(question);
      // An error without a policy means that Cedar itself failed.
      const isUndecided = errors.some(({ place }) => place === undefined);
      if (isUndecided) this.#undecided += 1;
      return isUndecided ? undefined : isAllowed;
    });
  }

  #questionOf(caller: Identity | undefined, target: Target): Question | undefined {
    const principal = this.#principalOf(caller);
    if (principal === undefined) return undefined;
    return questionOf(principal, target, { ...this.#server, hints: this.#hintsOf(target) });
  }

  #hintsOf({ feature, name }: Target): ReturnType<ToolAnnotations['of']> {
    return feature === 'tool' ? this.#annotations.of(name) : {};
  }

  #principalOf(caller: Identity | undefined): Principal | undefined {
    if (caller === undefined) return undefined;
    const known = this.#principals.get(caller);
    if (known !== undefined) return known.is;
    const is = principalOf(caller, this.#settings, (entity) => this.#policies.narrowed(entity));
    this.#principals.set(caller, { is });
    return is;
  }

  #deny(message: DeniedMessage, exchange: ClientExchange, reason: DenialReason): Promise<ClientVerdict> {
    return this.#options.denials.deny(message, exchange, reason);
  }
}

/**
 * Returns the values that the decision was based on. Claims of the principal are omitted, because the context
 * contains them too.
 */
function valuesOf({ principal, resource, context }: Question): NonNullable<DenialReason['saw']> {
  const parents = principal.parents.map(nameOf);
  return shownValues({ ...context, ...resource.attrs, 'principal in': parents });
}
