import {
  bareListChange,
  type ClientExchange,
  type ClientMessage,
  type ClientVerdict,
  memberOf,
  type MessageChange,
  type ResponseView,
  type ServerMessage,
  type ServerVerdict,
  soleMemberOf,
} from '@portolan/plugin-api';
import { findRepeatedName, findValue } from '@portolan/mcp-protocol';
import { compareServer } from '../compare/compare-server.ts';
import type { Baseline, CurrentDefinitions } from '../compare/baseline.ts';
import type { Difference } from '../compare/difference.ts';
import { LIST_METHODS, type ListMethod, listMethodOf } from '../compare/list-methods.ts';
import { readItems } from '../compare/read-items.ts';
import { readServer } from '../compare/read-server.ts';
import { FirstLists } from './first-lists.ts';
import type { GuardBaseline } from './guard-baseline.ts';
import { itemNotFound, itemUnnamed, methodMisspelt, responseUnreadable } from './guard-refusals.ts';
import { findNamedItems, GUARDED_METHODS, spellingOf } from './named-items.ts';
import { isHeldClass, SeenDrift } from './seen-drift.ts';

const SERVER_METHODS: readonly string[] = ['initialize', 'server/discover'];
const METHODS: ReadonlySet<string> = new Set([
  ...LIST_METHODS.map(({ method }) => method),
  ...SERVER_METHODS,
  ...GUARDED_METHODS,
]);

/** Comparison of one page. */
interface ComparedList {
  readonly verdict: ServerVerdict | undefined;
  readonly names: readonly string[];
  readonly differences: readonly Difference[];
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
  /** Comparisons by result, then by method. The proxy passes the same frozen object while a result is unchanged. */
  #compared = new WeakMap<object, Map<string, ComparedList>>();

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

  /** Approved definitions that are not held, which clients may get while the server does not run. */
  get offered(): Baseline {
    return this.#seen.unchanged;
  }

  get isHolding(): boolean {
    return this.#rule.reaction !== 'warn';
  }

  /** Replaces the baseline, forgets earlier differences, and compares `current` with the new baseline. */
  replace(rule: GuardBaseline, current?: CurrentDefinitions): void {
    this.#rule = rule;
    const before = this.#seen;
    this.#seen = new SeenDrift(rule.baseline);
    // What the server has sent is unknown until it is read or listed, but what was held stays held meanwhile.
    this.#seen.keepFrom(before);
    this.#first = new FirstLists();
    this.#compared = new WeakMap();
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
    const meant = spellingOf(method);
    if (meant !== method && METHODS.has(meant)) return { refuse: methodMisspelt(meant) };
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
    const list = listMethodOf(method);
    if (list !== undefined) return this.#judgeKnownList(list, message, params);
    return SERVER_METHODS.includes(method) ? this.#judgeServer(method, message) : undefined;
  }

  #judgeKnownList(
    list: ListMethod,
    message: ResponseView,
    params: Readonly<Record<string, unknown>> | undefined,
  ): ServerVerdict | undefined {
    const { result } = message;
    const { method, kind } = list;
    const isKept = typeof result === 'object' && result !== null && Object.isFrozen(result);
    const known = isKept ? this.#compared.get(result)?.get(method) : undefined;
    const compared = known ?? this.#compareList(list, message, params);
    // Also for a known one, because the server may have sent another list meanwhile.
    this.#seen.noteList(kind, compared.names, compared.differences);
    for (const difference of compared.differences) this.#report(difference);
    if (isKept && known === undefined) {
      const byMethod = this.#compared.get(result) ?? new Map<string, ComparedList>();
      this.#compared.set(result, byMethod.set(method, compared));
    }
    return compared.verdict;
  }

  #compareList(
    { method, kind, items: member }: ListMethod,
    { text, result }: ResponseView,
    params: Readonly<Record<string, unknown>> | undefined,
  ): ComparedList {
    const items = soleMemberOf(result, member);
    const span = findValue(text, ['result', member]);
    const uncompared = { verdict: undefined, names: [], differences: [] };
    if (!Array.isArray(items) || span === undefined)
      return { ...uncompared, verdict: this.#unreadable(method, `it has no array "${member}", or two`) };
    const list = text.slice(span.start, span.end);
    if (!this.#seen.knows(kind)) {
      const whole = this.#first.add(kind, items, params?.['cursor'], memberOf(result, 'nextCursor'));
      if (whole !== undefined) {
        this.#seen.approve(kind, whole);
        this.#compared = new WeakMap();
      }
      return uncompared;
    }
    const names = readItems(kind, items).map(({ name }) => name);
    const differences = this.#seen.compareList(kind, list);
    const held = new Set(differences.filter(isHeldClass).map(({ name }) => name));
    const change = names.flatMap((name, index): readonly MessageChange[] =>
      this.isHolding && (name === '' || held.has(name))
        ? [{ path: ['result', member, index], json: undefined }]
        : [],
    );
    return { verdict: change.length === 0 ? undefined : { change }, names, differences };
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
