import type {
  EntityJson,
  StatefulAuthorizationCall,
  TypeAndId,
  PolicyJson,
} from '@cedar-policy/cedar-wasm/nodejs';
import type { Attributes } from '../engine/arguments.ts';
import type { CedarSettings } from '../cedar-config.ts';
import { CEDAR, type Cedar } from '../engine/cedar-engine.ts';
import { type KnownEntities, nameOf, readEntities, uidOf } from '../engine/known-entities.ts';
import { type PolicyFault, type PolicyText, readPolicyTexts } from './policy-text.ts';
import { narrowTo, usedAttributes } from './used-attributes.ts';
import { usedIds, withUsedParents } from './used-parents.ts';
import { isJsonObject } from '@portolan/plugin-api';

/** Request to decide about: everything that the decision depends on. */
export interface Question {
  readonly principal: EntityJson;
  readonly action: string;
  readonly resource: EntityJson;
  readonly context: Attributes;
}

/** Decision of a policy set. An error in any policy denies, even if another policy permits. */
export interface Decision {
  readonly isAllowed: boolean;
  /** Ids of the policies that permit, or of the forbids that override them. */
  readonly policies: readonly string[];
  /** Evaluation errors, with the place of the policy if known. */
  readonly errors: readonly { readonly place: string | undefined; readonly message: string }[];
}

/**
 * Maximum number of attributes. Cedar's time grows faster than their number, which a caller could raise
 * without limit if a policy reads the whole context.
 */
const MAX_ATTRIBUTES = 1000;

/**
 * Names, and attributes that policies read, of one request in characters. An argument counts twice, because
 * it is in the context and on the resource. Cedar needs at most 30 ms of CPU for this size.
 */
const MAX_CHARACTERS = 128 * 1024;

export interface ReadPolicies {
  readonly policies: readonly PolicyText[];
  readonly entities: KnownEntities;
  /** Attributes on which a decision can depend; undefined means all. */
  readonly used: {
    readonly attributes: ReadonlySet<string> | undefined;
    readonly parents: ReadonlySet<string> | undefined;
  };
}

/** A check and the use that follows share the parsed policies by this key. */
let lastRead: { readonly key: string; readonly read: ReadPolicies } | undefined;

/** Parses policies. Returns all faults if any policy is invalid. */
export function readPolicies(
  settings: Pick<CedarSettings, 'policies' | 'entities_json'>,
): ReadPolicies | readonly PolicyFault[] {
  const key = JSON.stringify([settings.policies, settings.entities_json]);
  if (lastRead?.key === key) return lastRead.read;
  const read = readAnew(settings);
  if ('policies' in read) lastRead = { key, read };
  return read;
}

function readAnew(
  settings: Pick<CedarSettings, 'policies' | 'entities_json'>,
): ReadPolicies | readonly PolicyFault[] {
  const policies = readPolicyTexts(settings.policies);
  const entities = readEntities(settings.entities_json);
  const faults = policies.filter((policy): policy is PolicyFault => 'found' in policy);
  if (typeof entities === 'string') {
    faults.push({
      place: 'cedar.entities_json',
      found: entities,
      expected: 'a JSON list of Cedar entities',
    });
    return faults;
  }
  if (faults.length > 0) return faults;
  const whole = policies.filter((policy): policy is PolicyText => 'json' in policy);
  const json = whole.map((policy) => policy.json);
  const used = { attributes: usedAttributes(json), parents: usedIds(json, entities.values()) };
  return { policies: whole, entities, used };
}

/** Names of parsed policy sets that can be reused, because Cedar cannot delete one. */
const unused: string[] = [];
let lastName = 0;

export class PolicySet {
  readonly policies: readonly PolicyText[];
  readonly entities: KnownEntities;
  readonly #used: ReadPolicies['used'];
  readonly #name: string;
  /** Cedar instance that has parsed the policies. */
  #parsedBy: Cedar | undefined;
  #isClosed = false;

  /** Throws if Cedar rejects the policies as a set. */
  constructor({ policies, entities, used }: ReadPolicies) {
    this.policies = policies;
    this.entities = entities;
    this.#used = used;
    this.#name = unused.pop() ?? `portolan-${(lastName += 1)}`;
    CEDAR.use((cedar) => this.#parseBy(cedar));
  }

  get namedTools(): readonly string[] {
    return namedTools(
      this.policies.map(({ json }) => json),
      this.entities.values(),
    );
  }

  /** Drops attributes on which no decision depends. */
  narrow(attributes: Attributes): Attributes {
    return narrowTo(this.#used.attributes, attributes);
  }

  /** Drops claims and groups on which no decision depends. */
  narrowed(entity: EntityJson): EntityJson {
    const { uid, attrs, parents } = withUsedParents(this.#used.parents, entity);
    return { uid, attrs: { ...this.narrow(attrs) }, parents };
  }

  /** Drops attributes and parents on which no decision depends. */
  narrowedQuestion({ principal, action, resource, context }: Question): Question {
    return {
      principal: this.narrowed(principal),
      action,
      resource: this.narrowed(resource),
      context: this.narrow(context),
    };
  }

  /**
   * Decides about a request. Never throws: if Cedar fails, it denies. Cedar gets only what the policies read,
   * because it spends most time on parsing the request.
   */
  decide(question: Question): Decision {
    if (this.#isClosed) return deniedBy('the policies are not in use any more');
    const narrowed = this.narrowedQuestion(question);
    const { principal, action, resource, context } = narrowed;
    const excess = findExcess(narrowed);
    if (excess !== undefined) return deniedBy(excess);
    try {
      const statefulAuthorizationCall: StatefulAuthorizationCall = {
        principal: principal.uid,
        action: actionOf(action),
        resource: resource.uid,
        context: { ...context },
        preparsedPolicySetId: this.#name,
        entities: this.entitiesWith(principal, resource),
      };
      const result = CEDAR.use((cedar) => {
        this.#parseBy(cedar);
        return cedar.statefulIsAuthorized(statefulAuthorizationCall);
      });
      if (result.type === 'failure') return deniedBy(result.errors[0]?.message ?? 'Cedar does not respond');
      const { decision, diagnostics } = result.response;
      const errors = diagnostics.errors.map(({ policyId, error }) => ({
        place: policyId,
        message: error.message,
      }));
      return {
        isAllowed: decision === 'allow' && errors.length === 0,
        policies: diagnostics.reason.toSorted(),
        errors,
      };
    } catch (error) {
      return deniedBy(error instanceof Error ? error.message : String(error));
    }
  }

  #parseBy(cedar: Cedar): void {
    if (this.#parsedBy === cedar) return;
    const staticPolicies = Object.fromEntries(this.policies.map(({ place, text }) => [place, text]));
    const parsed = cedar.preparsePolicySet(this.#name, { staticPolicies });
    if (parsed.type === 'failure')
      throw new TypeError('policies that are valid one by one are invalid as a set');
    this.#parsedBy = cedar;
  }

  /** Entities of the request override configured ones. */
  entitiesWith(...own: readonly EntityJson[]): EntityJson[] {
    if (this.entities.size === 0) return [...own];
    const merged = new Map(this.entities);
    for (const entity of own) merged.set(nameOf(entity.uid), entity);
    return [...merged.values()];
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    CEDAR.use((cedar) => cedar.preparsePolicySet(this.#name, { staticPolicies: {} }));
    unused.push(this.#name);
  }
}

/** Returns why a question is too large for Cedar. */
function findExcess({ principal, resource, context }: Question): string | undefined {
  const count = Object.keys(context).length;
  if (count > MAX_ATTRIBUTES) {
    return `policies read ${count} arguments and claims of this call, more than ${MAX_ATTRIBUTES}`;
  }
  const characters =
    uidOf(principal.uid).id.length +
    uidOf(resource.uid).id.length +
    [principal.attrs, resource.attrs, context].reduce((sum, attributes) => sum + charactersIn(attributes), 0);
  return characters > MAX_CHARACTERS
    ? `policies read ${characters} characters of this call, more than ${MAX_CHARACTERS}`
    : undefined;
}

function charactersIn(attributes: Attributes): number {
  let characters = 0;
  for (const [name, value] of Object.entries(attributes)) {
    characters += name.length + (typeof value === 'string' ? value : JSON.stringify(value)).length;
  }
  return characters;
}

export function actionOf(id: string): TypeAndId {
  return { type: 'Action', id };
}

function deniedBy(message: string): Decision {
  return { isAllowed: false, policies: [], errors: [{ place: undefined, message }] };
}

function namedTools(policies: readonly PolicyJson[], entities: Iterable<EntityJson>): readonly string[] {
  const names = new Set<string>();
  const open: unknown[] = [...policies, ...[...entities].map(({ uid }) => uid)];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (Array.isArray(next)) open.push(...(next as readonly unknown[]));
    if (!isJsonObject(next)) continue;
    if (next['type'] === 'Tool' && typeof next['id'] === 'string') names.add(next['id']);
    open.push(...Object.values(next).filter((value) => typeof value === 'object' && value !== null));
  }
  return [...names].toSorted();
}
