import {
  bareListChange,
  type ClientExchange,
  type ClientMessage,
  type ClientVerdict,
  type Identity,
  isJsonObject,
  type Logger,
  type ProxyMiddleware,
  type ResponseView,
  type ServerMessage,
  type ServerVerdict,
} from '@portolan/plugin-api';
import type { DenialReason, Denials, DeniedMessage } from '../denials/denials.ts';
import { changesOf, privateTo, readList, UNREADABLE_LIST } from '../decisions/filter-list.ts';
import { narrowListen, refuseTooMany } from '../decisions/narrow-listen.ts';
import { ownerOf, SeenTasks } from '../decisions/seen-tasks.ts';
import {
  type ListedItems,
  NO_TASK_LISTS,
  type Target,
  type TaskItems,
  treatmentOf,
} from '../request/target.ts';
import type { DecisionPointSettings } from './decision-point-config.ts';
import { type QuestionTarget, decisionQuestion } from './decision-question.ts';
import type { Decision, DecisionPoint } from './decision-point.ts';

/** Maximum number of concurrent decisions for one list. */
const MAX_AT_ONCE = 8;

/**
 * Returns the decision for each item. Returns undefined as soon as one decision fails, because the others
 * would be wasted.
 */
async function decideEach(
  names: readonly string[],
  decide: (name: string) => Promise<Decision>,
): Promise<ReadonlyMap<string, boolean> | undefined> {
  const decided = new Map<string, boolean>();
  const waiting = [...new Set(names)].values();
  let isWhole = true;
  const work = async (): Promise<void> => {
    for (const name of waiting) {
      if (!isWhole) return;
      const decision = await decide(name);
      if (typeof decision === 'object') isWhole = false;
      else decided.set(name, decision === 'allowed');
    }
  };
  await Promise.all(Array.from({ length: MAX_AT_ONCE }, work));
  return isWhole ? decided : undefined;
}

export interface DecisionPointAuthorizerOptions {
  readonly settings: DecisionPointSettings;
  readonly point: DecisionPoint;
  readonly server: string;
  readonly denials: Denials;
  readonly logger: Logger;
}

/** Denies everything that the decision point does not explicitly allow. A denied caller gets only an id. */
export class DecisionPointAuthorizer implements ProxyMiddleware {
  readonly #options: DecisionPointAuthorizerOptions;
  readonly #tasks = new SeenTasks<QuestionTarget>();

  constructor(options: DecisionPointAuthorizerOptions) {
    this.#options = options;
  }

  async onMessage(message: ClientMessage, exchange: ClientExchange): Promise<ClientVerdict | undefined> {
    if (message.kind === 'response') return undefined;
    const isTold = message.kind === 'notification';
    if (isTold && message.method.startsWith('notifications/')) return undefined;
    const treatment = treatmentOf(message.method, message.params);
    switch (treatment.is) {
      case 'allowed':
      case 'listed':
        return undefined;
      case 'tasksListed':
        return this.#options.settings.list_tasks === true && exchange.era !== 'modern'
          ? undefined
          : await this.#deny(message, exchange, NO_TASK_LISTS);
      case 'denied':
        return await this.#deny(message, exchange, treatment.because);
      case 'narrowed':
        return isTold
          ? await this.#deny(message, exchange, 'It is not a request.')
          : await this.#narrow(message, exchange);
      case 'decided':
        return await this.#judge(message, exchange, withArgs(treatment.target, message));
      case 'task':
        break;
    }
    const own = this.#tasks.findOwn(treatment.taskId, exchange.caller);
    return own !== undefined
      ? await this.#judge(message, exchange, own.target)
      : await this.#deny(
          message,
          exchange,
          'Its task was not seen to begin here, or another caller began it.',
        );
  }

  onResponse(
    message: ServerMessage,
    exchange: ClientExchange,
  ): ServerVerdict | undefined | Promise<ServerVerdict | undefined> {
    const { message: request, era, caller } = exchange;
    if (message.kind === 'notification') return bareListChange(message);
    if (message.kind !== 'response' || message.error !== undefined || request?.kind !== 'request')
      return undefined;
    const treatment = treatmentOf(request.method, request.params);
    if (treatment.is === 'listed') return this.#filter(message, exchange, treatment.items);
    if (treatment.is === 'tasksListed') return this.#filterTasks(message, exchange, treatment.items);
    if (treatment.is !== 'decided') return undefined;
    const owner = ownerOf(caller);
    if (request.method === 'tools/call' && owner !== undefined) {
      this.#tasks.learn(message.result, { target: withArgs(treatment.target, request), owner });
    }
    const change = request.method === 'resources/read' ? privateTo(message.result, era === 'modern') : [];
    return change.length === 0 ? undefined : { change };
  }

  async close(): Promise<void> {
    const { point, denials } = this.#options;
    point.close();
    await denials.close();
  }

  async #judge(
    message: DeniedMessage,
    exchange: ClientExchange,
    target: QuestionTarget,
  ): Promise<ClientVerdict | undefined> {
    const decision = await this.#decide(exchange.caller, target);
    if (decision === 'allowed') return undefined;
    const because =
      decision === 'denied' ? 'The decision point denies it.' : `There is no decision: ${decision.fault}.`;
    return await this.#deny(message, exchange, because, `${target.feature} ${target.name}`);
  }

  async #narrow({ params }: DeniedMessage, { caller }: ClientExchange): Promise<ClientVerdict | undefined> {
    const tooMany = refuseTooMany(params);
    if (tooMany !== undefined) return tooMany;
    const filter = params?.['notifications'];
    const request = isJsonObject(filter) ? filter['resourceSubscriptions'] : undefined;
    const uris = Array.isArray(request) ? request.filter((uri) => typeof uri === 'string') : [];
    const decided = await decideEach(uris, (name) => this.#decide(caller, { feature: 'resource', name }));
    const ids = isJsonObject(filter) && Array.isArray(filter['taskIds']) ? filter['taskIds'] : [];
    const tasks = await this.#decideTasks(
      ids.filter((id) => typeof id === 'string'),
      caller,
    );
    const change = narrowListen(params, {
      resource: (uri) => decided?.get(uri) === true,
      task: (id) => tasks?.get(id) === true,
    });
    return change.length === 0 ? undefined : { change };
  }

  async #filter(
    { result }: ResponseView,
    { caller, era }: ClientExchange,
    items: ListedItems,
  ): Promise<ServerVerdict | undefined> {
    const listed = readList(result, items, this.#options.logger);
    if ('refused' in listed) return listed.refused;
    const { feature } = items;
    const names = listed.items.map(({ name }) => name).filter((name) => name.isWellFormed());
    const decided = await decideEach(names, (name) => this.#decide(caller, { feature, name }));
    // An empty list would mean that the server has no items.
    if (decided === undefined) return UNREADABLE_LIST;
    const change = [
      ...changesOf(items, listed.items, ({ name }) => decided.get(name) === true),
      ...privateTo(result, era === 'modern'),
    ];
    return change.length === 0 ? undefined : { change };
  }

  async #filterTasks(
    { result }: ResponseView,
    { caller, era }: ClientExchange,
    items: TaskItems,
  ): Promise<ServerVerdict | undefined> {
    const listed = readList(result, items, this.#options.logger);
    if ('refused' in listed) return listed.refused;
    const decided = await this.#decideTasks(
      listed.items.map(({ name }) => name),
      caller,
    );
    if (decided === undefined) return UNREADABLE_LIST;
    const change = [
      ...changesOf(items, listed.items, ({ name }) => decided.get(name) === true),
      ...privateTo(result, era === 'modern'),
    ];
    return change.length === 0 ? undefined : { change };
  }

  /** Decides about the calls that began the tasks; undefined if a decision fails. */
  async #decideTasks(
    ids: readonly string[],
    caller: Identity | undefined,
  ): Promise<ReadonlyMap<string, boolean> | undefined> {
    return await decideEach(ids, async (id) => {
      const own = this.#tasks.findOwn(id, caller);
      return own === undefined ? 'denied' : await this.#decide(caller, own.target);
    });
  }

  async #decide(caller: Identity | undefined, target: QuestionTarget): Promise<Decision> {
    const { settings, point, server, logger } = this.#options;
    if (caller === undefined) return 'denied';
    const question = decisionQuestion(caller, target, server, settings);
    if (question === undefined) return 'denied';
    const decision = await point.decide(question);
    if (typeof decision === 'object')
      logger.warn({ reason: decision.fault }, 'decision point returned no decision');
    return decision;
  }

  #deny(
    message: DeniedMessage,
    exchange: ClientExchange,
    because: string,
    target?: string,
  ): Promise<ClientVerdict> {
    const reason: DenialReason = { because: [because], ...(target === undefined ? {} : { target }) };
    return this.#options.denials.deny(message, exchange, reason);
  }
}

/** Replaces the arguments, because `Target` contains their Cedar form. */
function withArgs({ feature, name }: Target, { method, params }: DeniedMessage): QuestionTarget {
  const hasArgs = method === 'tools/call' || method === 'prompts/get';
  return { feature, name, ...(hasArgs ? { args: params?.['arguments'] } : {}) };
}
