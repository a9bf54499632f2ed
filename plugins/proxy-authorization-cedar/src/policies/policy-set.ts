import type { EntityJson, StatefulAuthorizationCall, TypeAndId } from '@cedar-policy/cedar-wasm/nodejs';
import type { Attributes } from '../engine/arguments.ts';
import type { CedarSettings } from '../cedar-config.ts';
import { CEDAR, type Cedar } from '../engine/cedar-engine.ts';
import { type KnownEntities, nameOf, readEntities, uidOf } from '../engine/known-entities.ts';
import { namedTools } from './named-tools.ts';
import { type PolicyFault, type PolicyText, readPolicyTexts } from './policy-text.ts';
import { narrowTo, usedAttributes } from './used-attributes.ts';
import { usedIds, withUsedParents } from './used-parents.ts';

/** One question to Cedar, with everything that its answer depends on. */
export interface Question {
  readonly principal: EntityJson;
  readonly action: string;
  readonly resource: EntityJson;
  readonly context: Attributes;
}

/** What Cedar says. An error in any policy denies, whatever the others say. */
export interface Decision {
  readonly isAllowed: boolean;
  /** Places of the policies that have decided: permits, or the forbids that win over them. */
  readonly policies: readonly string[];
  /** What failed, with the place of the policy, where that is known. */
  readonly errors: readonly { readonly place: string | undefined; readonly message: string }[];
}

/**
 * Maximum number of attributes of one question that Cedar reads. Its time grows
 * faster than their number, and the caller chooses the number of arguments where a
 * policy reads the context as a whole.
 */
const MAX_ATTRIBUTES = 1000;

/**
 * Maximum number of characters of one question that Cedar reads: names, and attributes that policies look at.
 * An argument counts twice, since it stands in the context and on the resource. So many take 30 ms of CPU at
 * most, and 8 million up to 1.7 s.
 */
const MAX_CHARACTERS = 128 * 1024;

/** What a policy set is made of, each part read. */
export interface ReadPolicies {
  readonly policies: readonly PolicyText[];
  readonly entities: KnownEntities;
  /** Names of the attributes, and ids of the parents, that a decision can depend on; undefined: all. */
  readonly used: {
    readonly attributes: ReadonlySet<string> | undefined;
    readonly parents: ReadonlySet<string> | undefined;
  };
}

/** Those that were read last: they are read to be checked, and at once again to be used. */
let lastRead: { readonly key: string; readonly read: ReadPolicies } | undefined;

/** Everything that is wrong with the policies and entities; what they are, where nothing is. */
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

/** Names under which Cedar keeps parsed policies, for those who come later: it has no way to forget one. */
const unused: string[] = [];
let lastName = 0;

/** Policies that Cedar has parsed once, and entities that every decision knows. */
export class PolicySet {
  readonly policies: readonly PolicyText[];
  readonly entities: KnownEntities;
  readonly #used: ReadPolicies['used'];
  readonly #name: string;
  /** Which Cedar has parsed them: another one does not know them. */
  #parsedBy: Cedar | undefined;
  #isClosed = false;

  /** Throws where Cedar does not take them together. */
  constructor({ policies, entities, used }: ReadPolicies) {
    this.policies = policies;
    this.entities = entities;
    this.#used = used;
    this.#name = unused.pop() ?? `portolan-${(lastName += 1)}`;
    CEDAR.use((cedar) => this.#parseBy(cedar));
  }

  /** Names of tools that the policies and known entities name. */
  get namedTools(): readonly string[] {
    return namedTools(
      this.policies.map(({ json }) => json),
      this.entities.values(),
    );
  }

  /** The attributes that a decision can depend on. */
  narrow(attributes: Attributes): Attributes {
    return narrowTo(this.#used.attributes, attributes);
  }

  /** What of an entity of the question a decision can depend on. */
  narrowed(entity: EntityJson): EntityJson {
    const { uid, attrs, parents } = withUsedParents(this.#used.parents, entity);
    return { uid, attrs: { ...this.narrow(attrs) }, parents };
  }

  /** Returns the question with only those attributes and parents that a decision can depend on. */
  narrowedQuestion({ principal, action, resource, context }: Question): Question {
    return {
      principal: this.narrowed(principal),
      action,
      resource: this.narrowed(resource),
      context: this.narrow(context),
    };
  }

  /**
   * Never throws: what Cedar cannot answer is denied. It is handed only what a
   * policy looks at, since most of its time goes into reading the question.
   */
  decide(question: Question): Decision {
    if (this.#isClosed) return deniedBy('the policies are not in use any more');
    const narrowed = this.narrowedQuestion(question);
    const { principal, action, resource, context } = narrowed;
    const excess = findExcess(narrowed);
    if (excess !== undefined) return deniedBy(excess);
    try {
      const asked: StatefulAuthorizationCall = {
        principal: principal.uid,
        action: actionOf(action),
        resource: resource.uid,
        context: { ...context },
        preparsedPolicySetId: this.#name,
        entities: this.entitiesWith(principal, resource),
      };
      const answer = CEDAR.use((cedar) => {
        this.#parseBy(cedar);
        return cedar.statefulIsAuthorized(asked);
      });
      if (answer.type === 'failure') return deniedBy(answer.errors[0]?.message ?? 'Cedar does not answer');
      const { decision, diagnostics } = answer.response;
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
      throw new TypeError('policies that were read one by one are none together');
    this.#parsedBy = cedar;
  }

  /** The entities of a decision; of one name, that of the request. */
  entitiesWith(...own: readonly EntityJson[]): EntityJson[] {
    if (this.entities.size === 0) return [...own];
    const merged = new Map(this.entities);
    for (const entity of own) merged.set(nameOf(entity.uid), entity);
    return [...merged.values()];
  }

  /** Lets Cedar forget the policies. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    CEDAR.use((cedar) => cedar.preparsePolicySet(this.#name, { staticPolicies: {} }));
    unused.push(this.#name);
  }
}

/** Returns why a question is too large for Cedar; undefined for others. */
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
