import { type Caller, type ResourceClaims, ROLES } from '@portolan/plugin-api';
import type {
  AccessExplanation,
  AccessQuestion,
  EntryQuestion,
  ExplainedCaller,
  ExplainedDecision,
  ExplainedEntry,
  ExplainedSkip,
} from './access-explanation.ts';
import type { AccessDecision, Because, GatedRegistry } from './access-policy.ts';
import { explainKey } from './explain-key.ts';
import { explainRoles } from './explain-roles.ts';

/**
 * Explains why a caller may or may not see a registry and an entry, with the decisions of the policy itself.
 * Ignores withdrawn versions and the hook `filterEntries`, by which plugins may hide more entries. Pure;
 * never throws.
 */
export function explainAccess(question: AccessQuestion): AccessExplanation {
  const { policy, caller, registry, entry } = question;
  const gate = registry === undefined ? undefined : explainGate(question, registry);
  return {
    mode: policy.mode,
    caller: caller === undefined ? null : describeCaller(caller),
    roles: explainRoles(question),
    ...(gate === undefined ? {} : { registry: gate }),
    ...(entry === undefined ? {} : { entry: explainEntry(question, entry, gate?.allowed ?? true) }),
  };
}

function describeCaller({ subject, user, provider, roles }: Caller): ExplainedCaller {
  return {
    subject,
    ...(user === undefined ? {} : { user }),
    ...(provider === undefined ? {} : { provider }),
    roles: ROLES.filter((role) => roles.includes(role)),
  };
}

function explainGate(
  question: AccessQuestion,
  registry: GatedRegistry & { readonly name: string },
): ExplainedDecision & { readonly name: string } {
  const decision = question.policy.decideRegistryAccess(question.caller, registry);
  return { name: registry.name, ...explainDecision(question, decision, registry.claims) };
}

function explainEntry(
  question: AccessQuestion,
  { type, name, sources, skipped = [] }: EntryQuestion,
  open: boolean,
): ExplainedEntry {
  const { policy, caller, registry = { claims: {} }, reveal } = question;
  const all = sources.map(({ source, claims }) => {
    const decision = policy.decideEntry(caller, registry, { claims });
    return { source, ...explainDecision(question, decision, claims) };
  });
  const shown = open ? all.filter(({ allowed }) => allowed) : [];
  const head = {
    type,
    name,
    shown: shown.length > 0,
    ...(skipped.length === 0 ? {} : { skipped }),
  };
  const absent = absenceOf(skipped);
  const sentence = open ? undefined : 'Not shown: the registry is closed to the caller.';
  if (!mayKnowSources(question)) {
    // The caller may not know source names, so this hides them and the entries that the shown one shadows.
    const messages = shown.slice(0, 1).map((one) => ({ ...one, source: null }));
    return {
      ...head,
      shownFrom: null,
      sentence: sentence ?? (head.shown ? 'Shown.' : absent),
      sources: messages,
    };
  }
  const reports = reveal === 'everything' ? all : shown;
  const names = shown.map(({ source }) => source);
  return {
    ...head,
    shownFrom: names[0] ?? null,
    sentence: sentence ?? (reports.length === 0 ? absent : entrySentence(names)),
    sources: reports,
  };
}

/**
 * Source names are part of the registry's definition. Only callers who manage registries and see this one may
 * know them.
 */
function mayKnowSources({ policy, caller, registry, reveal }: AccessQuestion): boolean {
  if (reveal === 'everything') return true;
  if (registry === undefined) return false;
  return policy.decideRole(caller, 'manageRegistries').allowed && policy.decideRead(caller, registry).allowed;
}

const ABSENT = 'No entry of this name is there for the caller.';

function absenceOf(skipped: readonly ExplainedSkip[]): string {
  const [first, ...others] = [...new Set(skipped.map(({ source }) => `"${source}"`))];
  if (first === undefined) return ABSENT;
  return others.length === 0
    ? `Not shown: source ${first} left it out.`
    : `Not shown: sources ${[first, ...others].join(', ')} left it out.`;
}

/** Returns the sentence for an entry that is visible in these sources, highest priority first. */
function entrySentence([first, ...others]: readonly string[]): string {
  if (first === undefined) return 'Not shown: the caller may see it in none of the sources that have it.';
  const shadowed = others.map((source) => `"${source}"`).join(', ');
  return shadowed === ''
    ? `Shown from source "${first}".`
    : `Shown from source "${first}", which comes before ${shadowed}.`;
}

const SENTENCES: Readonly<Record<Because, string>> = {
  anonymous: 'Open: the server identifies nobody, so nothing is checked.',
  'auth-only': 'Open: claims are not looked at, because auth.authz is not configured.',
  'super-admin': 'Open: a superAdmin passes every check of claims.',
  public: 'Open: the registry is public, and its publicClaims satisfy what is required.',
  claims: 'Open: the caller holds every claim that is required.',
  'claims-missing': 'Closed: a required claim is missing, or has another value.',
  unlabelled: 'Closed: it has no claims, and what has none is for superAdmins only.',
  'empty-list': 'Closed: only a superAdmin may set an empty list.',
  role: 'Open: the caller has the role.',
  'role-missing': 'Closed: the caller lacks the role.',
  'no-identity': 'Closed: no token was accepted.',
};

function explainDecision(
  { policy, caller, reveal }: AccessQuestion,
  { allowed, because }: AccessDecision,
  claims: ResourceClaims,
): ExplainedDecision {
  const keys = policy.explain(caller, claims, 'any').keys.map((key) => explainKey(key, reveal));
  return { allowed, because, sentence: SENTENCES[because], keys };
}
