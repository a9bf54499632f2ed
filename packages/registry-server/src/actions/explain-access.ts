import { type AccessQuestion, explainAccess, mapClaims, resolveCaller } from '@portolan/authorization';
import type { GuardedHooks } from '@portolan/kernel';
import {
  isJsonObject,
  type Caller,
  ENTRY_TYPES,
  type EntryType,
  findGroupOverage,
  type JsonObject,
} from '@portolan/plugin-api';
import {
  type PublishedRegistry,
  type ReadScope,
  type RegistryReader,
  type SkippedFrom,
  splitSkips,
} from '@portolan/registry';
import { sendJson } from '../responses/send-json.ts';
import {
  authenticationRequired,
  explanationForbidden,
  registryNotFound,
} from '../steps/access/access-errors.ts';
import { bodyInvalid } from '../errors.ts';
import { accessOf, bodyOf, type RequestContext } from '../request/request-state.ts';
import { type Step, step } from '../request/route.ts';
import { unknownKeys } from '../request/unknown-keys.ts';
import { visibleClasses } from '../steps/access/filter-by-claims.ts';

const HINT =
  'Send {"registry": "main", "entry": {"type": "server", "name": "com.acme/notes"}}; a superAdmin may add {"caller": {"claims": {…}}}.';

type ExplainHooks = Pick<GuardedHooks, 'resolveRoles' | 'filterEntries' | 'filtersEntries'>;

interface ExplainQuestion {
  readonly registry: string | undefined;
  readonly entry: { readonly type: EntryType; readonly name: string } | undefined;
  /** Claims of the token of another caller, whose access is to be explained. */
  readonly claims: JsonObject | undefined;
}

/**
 * Explains access of the caller, or for a superAdmin of any caller. Explanations about oneself hide
 * everything that other responses hide. Throws ERR_AUTHENTICATION_REQUIRED, ERR_EXPLANATION_FORBIDDEN,
 * ERR_BODY_INVALID and ERR_REGISTRY_NOT_FOUND.
 */
export function explainToCaller(reader: RegistryReader, hooks: ExplainHooks): Step {
  return step('explainToCaller', async (ctx) => {
    const { policy, roles: roleRules } = accessOf(ctx);
    const { caller } = ctx.state;
    if (caller === undefined && policy.mode !== 'anonymous') throw authenticationRequired();
    const request = parseQuestion(bodyOf(ctx));
    const isOperator = policy.decideRole(caller, 'superAdmin').allowed;
    if (request.claims !== undefined && !isOperator) throw explanationForbidden();
    const registry =
      request.registry === undefined ? undefined : await findRegistry(reader, request.registry);
    const { skipped, filters } = splitSkips(
      request.entry === undefined ? [] : await skippedOf(ctx, reader, registry, request.entry),
    );
    const question: AccessQuestion = {
      policy,
      roleRules,
      caller: request.claims === undefined ? caller : await otherCaller(ctx, hooks, request.claims),
      registry,
      entry: request.entry && {
        ...request.entry,
        sources: await sourcesOf(ctx, { reader, hooks, registry, entry: request.entry, isOperator }),
        skipped,
      },
      reveal: isOperator ? 'everything' : 'own',
    };
    const overage = findGroupOverage(question.caller?.claims ?? {});
    const explanation = explainAccess(question);
    const isShown = explanation.entry?.shown !== false;
    const notes = [...(overage === undefined ? [] : [overage]), ...(isShown ? [] : filters)];
    sendJson(ctx, `${JSON.stringify({ ...explanation, ...(notes.length === 0 ? {} : { notes }) })}\n`);
  });
}

async function findRegistry(reader: RegistryReader, name: string): Promise<PublishedRegistry> {
  const { registries } = await reader.catalog();
  const registry = registries.get(name);
  if (registry === undefined) throw registryNotFound(name);
  return registry;
}

interface ExplainedEntryQuery {
  readonly reader: RegistryReader;
  readonly hooks: ExplainHooks;
  readonly registry: PublishedRegistry | undefined;
  readonly entry: NonNullable<ExplainQuestion['entry']>;
  readonly isOperator: boolean;
}

/** Returns the sources that have the entry. Omits entries that a plugin hides. */
async function sourcesOf(ctx: RequestContext, request: ExplainedEntryQuery) {
  const { reader, registry, entry, isOperator } = request;
  if (registry === undefined) throw bodyInvalid(['An entry is asked about in a registry.'], HINT);
  if (!isOperator && (await isFilteredOut(ctx, { ...request, registry }))) return [];
  return await reader.sourcesOf(registry, entry.type, entry.name);
}

/**
 * Returns skips of sources whose status the sender may see. For a sender who may not see the registry's
 * definition, these are skips of all sources, so the response does not disclose which the registry has.
 */
async function skippedOf(
  ctx: RequestContext,
  reader: RegistryReader,
  registry: PublishedRegistry | undefined,
  { type, name }: NonNullable<ExplainQuestion['entry']>,
): Promise<readonly SkippedFrom[]> {
  const { policy } = accessOf(ctx);
  const { caller } = ctx.state;
  if (!policy.decideRole(caller, 'manageSources').allowed) return [];
  const seesRegistry =
    registry !== undefined &&
    policy.decideRole(caller, 'manageRegistries').allowed &&
    policy.decideRead(caller, registry).allowed;
  const skipped = await reader.skippedOf(type, name);
  return skipped
    .filter(({ claims }) => policy.decideRead(caller, { claims }).allowed)
    .filter(({ source }) => !seesRegistry || registry.sources.includes(source));
}

/**
 * Returns whether the hook `filterEntries` hides every version of an entry from the caller, withdrawn ones
 * included.
 */
async function isFilteredOut(
  ctx: RequestContext,
  { reader, hooks, registry, entry }: ExplainedEntryQuery & { readonly registry: PublishedRegistry },
): Promise<boolean> {
  if (!hooks.filtersEntries) return false;
  const { policy } = accessOf(ctx);
  const { caller } = ctx.state;
  const { claimSets } = await reader.catalog();
  const scope: ReadScope = {
    registry,
    visible: policy.seesEverything(caller) ? 'all' : visibleClasses({ policy, caller, registry, claimSets }),
    filter: (entries) => hooks.filterEntries(entries, caller, registry.name),
  };
  const rows = await reader.versions(scope, entry.type, entry.name, { includeDeleted: true });
  return rows.length === 0;
}

async function otherCaller(
  ctx: RequestContext,
  hooks: Pick<GuardedHooks, 'resolveRoles'>,
  token: JsonObject,
): Promise<Caller> {
  const { policy, claims: mapping } = accessOf(ctx);
  const claims = mapClaims(token, mapping);
  const { sub } = token as { readonly sub?: unknown };
  const identity = { subject: typeof sub === 'string' ? sub : 'somebody', claims };
  return await resolveCaller(hooks, policy, identity);
}

function parseQuestion(body: JsonObject): ExplainQuestion {
  const { registry, entry, caller } = body;
  const problems = [
    ...unknownKeys(body, ['registry', 'entry', 'caller']),
    ...(isJsonObject(entry) ? unknownKeys(entry, ['type', 'name']) : []),
    ...(isJsonObject(caller) ? unknownKeys(caller, ['claims']) : []),
  ];
  if (registry !== undefined && typeof registry !== 'string') problems.push('registry is no name.');
  const parsedEntry = entry === undefined ? undefined : parseEntry(entry);
  if (entry !== undefined && parsedEntry === undefined)
    problems.push(`entry needs a type (${ENTRY_TYPES.join(', ')}) and a name.`);
  const claims = caller === undefined ? undefined : propertyOf(caller, 'claims');
  if (caller !== undefined && !isJsonObject(claims)) problems.push('caller needs claims, a map.');
  if (problems.length > 0) throw bodyInvalid(problems, HINT);
  return {
    registry: typeof registry === 'string' ? registry : undefined,
    entry: parsedEntry,
    claims: isJsonObject(claims) ? claims : undefined,
  };
}

function parseEntry(value: unknown): ExplainQuestion['entry'] {
  const type = ENTRY_TYPES.find((known) => known === propertyOf(value, 'type'));
  const name = propertyOf(value, 'name');
  return type === undefined || typeof name !== 'string' ? undefined : { type, name };
}

function propertyOf(value: unknown, key: string): unknown {
  return isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}
