import {
  bareListChange,
  type ClientExchange,
  type ClientMessage,
  type ClientVerdict,
  isJsonObject,
  memberOf,
  type MessageChange,
  type ResponseView,
  type ServerMessage,
  type ServerVerdict,
  soleMemberOf,
} from '@portolan/plugin-api';
import { findRepeatedName, findValue } from '@portolan/mcp-protocol';
import { compareServer } from '../compare/compare-server.ts';
import type { CurrentDefinitions } from '../compare/baseline.ts';
import type { Difference, ListKind } from '../compare/difference.ts';
import { readServer } from '../compare/read-server.ts';
import { FirstLists } from './first-lists.ts';
import type { GuardBaseline } from './guard-baseline.ts';
import { itemNotFound, itemUnnamed, methodMisspelt, responseUnreadable } from './guard-refusals.ts';
import { findNamedItems, GUARDED_METHODS, isSpelt } from './named-items.ts';
import { isHeldClass, SeenDrift } from './seen-drift.ts';

/** Lists by method, with the member of the result that holds the items, and the member that names an item. */
const LISTS: Readonly<Record<string, GuardedList>> = {
  'tools/list': { kind: 'tool', items: 'tools', id: 'name' },
  'prompts/list': { kind: 'prompt', items: 'prompts', id: 'name' },
  'resources/templates/list': { kind: 'template', items: 'resourceTemplates', id: 'uriTemplate' },
};

const SERVER_METHODS: readonly string[] = ['initialize', 'server/discover'];
const METHODS: readonly string[] = [...Object.keys(LISTS), ...SERVER_METHODS, ...GUARDED_METHODS];

interface GuardedList {
  readonly kind: ListKind;
  readonly items: string;
  readonly id: string;
}

export interface GuardListener {
  /** Called once for each difference, when it is first seen or when the baseline has changed. */
  readonly found: (difference: Difference, isHeld: boolean) => void;
  /** Called when what is held may have changed. */
  readonly changed?: () => void;
}

/**
 * Compares what a server sends to clients with what was approved. The reaction to a difference of the class `held`:
 *
 * | reaction | means |
 * | --- | --- |
 * | `warn` | report it |
 * | `hold` | report it, leave the item out of lists and refuse its calls; clients get approved instructions and capabilities |
 * | `refuse` | like `hold`; the listener ends the workload |
 *
 * Never reports that an item is missing, because a server may show different items to different callers.
 */
export class DriftGuard {
  readonly #listener: GuardListener;
  #rule: GuardBaseline;
  #seen: SeenDrift;
  #first: FirstLists;
  /** Cache of verdicts by result: the proxy passes the same frozen object while a list is unchanged. */
  #verdicts = new WeakMap<object, { readonly is: ServerVerdict | undefined }>();

  constructor(rule: GuardBaseline, listener: GuardListener) {
    this.#listener = listener;
    this.#rule = rule;
    this.#seen = new SeenDrift(rule.baseline);
    this.#first = new FirstLists();
  }

  /** All differences that the server has shown since the last approval, the newest of each item. */
  get differences(): readonly Difference[] {
    return this.#seen.differences;
  }

  get isHolding(): boolean {
    return this.#rule.reaction !== 'warn';
  }

  /** Replaces the baseline, forgets earlier differences, and compares `current` with the new baseline. */
  replace(rule: GuardBaseline, current?: CurrentDefinitions): void {
    this.#rule = rule;
    this.#seen = new SeenDrift(rule.baseline);
    this.#first = new FirstLists();
    this.#verdicts = new WeakMap();
    if (current !== undefined) this.check(current);
    this.#listener.changed?.();
  }

  /** Compares whole lists, which the supervisor has read. */
  check(current: CurrentDefinitions): void {
    for (const difference of this.#seen.compare(current)) this.#report(difference);
  }

  judgeMessage(message: ClientMessage, { era }: Pick<ClientExchange, 'era'>): ClientVerdict | undefined {
    if (message.kind === 'response' || !this.isHolding) return undefined;
    const { method, params } = message;
    const meant = METHODS.find((known) => isSpelt(method, known) && known !== method);
    if (meant !== undefined) return { refuse: methodMisspelt(meant) };
    const named = findNamedItems(method, params);
    if (named === 'unnamed') return { refuse: itemUnnamed(method) };
    const held = named.find((item) => this.#seen.isHeld(item));
    return held === undefined ? undefined : { refuse: itemNotFound(held.kind, era !== 'modern') };
  }

  judgeResponse(
    message: ServerMessage,
    { message: request }: Pick<ClientExchange, 'message'>,
  ): ServerVerdict | undefined {
    if (message.kind === 'notification') return this.isHolding ? bareListChange(message) : undefined;
    if (message.kind !== 'response' || request?.kind !== 'request' || message.error !== undefined)
      return undefined;
    const { method, params } = request;
    const list = Object.hasOwn(LISTS, method) ? LISTS[method] : undefined;
    if (list !== undefined) return this.#judgeKnownList(method, list, message, params);
    return SERVER_METHODS.includes(method) ? this.#judgeServer(method, message) : undefined;
  }

  #judgeKnownList(
    method: string,
    list: GuardedList,
    message: ResponseView,
    params: Readonly<Record<string, unknown>> | undefined,
  ): ServerVerdict | undefined {
    const { result } = message;
    const isKept = typeof result === 'object' && result !== null && Object.isFrozen(result);
    const known = isKept ? this.#verdicts.get(result) : undefined;
    if (known !== undefined) return known.is;
    const is = this.#judgeList(method, list, message, params);
    if (isKept) this.#verdicts.set(result, { is });
    return is;
  }

  #judgeList(
    method: string,
    { kind, items: member, id }: GuardedList,
    { text, result }: ResponseView,
    params: Readonly<Record<string, unknown>> | undefined,
  ): ServerVerdict | undefined {
    const items = soleMemberOf(result, member);
    const span = findValue(text, ['result', member]);
    if (!Array.isArray(items) || span === undefined)
      return this.#unreadable(method, `it has no array "${member}", or two`);
    const list = text.slice(span.start, span.end);
    if (!this.#seen.knows(kind)) {
      const whole = this.#first.add(kind, items, params?.['cursor'], memberOf(result, 'nextCursor'));
      if (whole !== undefined) this.#seen.approve(kind, whole);
      return undefined;
    }
    const differences = this.#seen.compareList(
      kind,
      list,
      items.map((item) => nameIn(item, id)),
    );
    for (const difference of differences) this.#report(difference);
    if (!this.isHolding) return undefined;
    const held = new Set(differences.filter(isHeldClass).map(({ name }) => name));
    const change = items.flatMap((item, index): readonly MessageChange[] => {
      const name = nameIn(item, id);
      const isHeld = name === '' || held.has(name);
      return isHeld ? [{ path: ['result', member, index], json: undefined }] : [];
    });
    return change.length === 0 ? undefined : { change };
  }

  #judgeServer(method: string, { result, text }: ResponseView): ServerVerdict | undefined {
    const current = readServer(result);
    if (current === undefined) return this.#unreadable(method, 'it is not an object');
    const approved = this.#rule.baseline?.server;
    if (approved === undefined) return undefined;
    const repeated = this.isHolding ? findRepeatedName(text) : undefined;
    if (repeated !== undefined) return this.#unreadable(method, repeated);
    const isComparable = this.#seen.isOfSameForm(method);
    this.#seen.forgetServer();
    const change: MessageChange[] = [];
    // The responses to `initialize` and `server/discover` name different revisions and capabilities for one server.
    const comparable = isComparable ? current : { ...current, revisions: undefined };
    for (const difference of compareServer(approved, comparable)) {
      const { kind } = difference;
      if (kind === 'capabilities' && !isComparable) continue;
      this.#seen.note(difference);
      this.#report(difference);
      if (!this.isHolding || (kind !== 'instructions' && kind !== 'capabilities')) continue;
      const json = approved[kind]?.json;
      change.push({ path: ['result', kind], json: json ?? (kind === 'capabilities' ? '{}' : undefined) });
    }
    return change.length === 0 ? undefined : { change };
  }

  #unreadable(method: string, fault: string): ServerVerdict | undefined {
    return this.isHolding ? { refuse: responseUnreadable(method, fault) } : undefined;
  }

  #report(difference: Difference): void {
    if (difference.class === 'none' || !this.#seen.isNew(difference)) return;
    this.#listener.found(difference, this.isHolding && isHeldClass(difference));
  }
}

function nameIn(item: unknown, id: string): string {
  const name = isJsonObject(item) ? memberOf(item, id) : undefined;
  return typeof name === 'string' ? name : '';
}
