import { parseResourceClaims } from '@portolan/authorization';
import type { GuardedHooks } from '@portolan/kernel';
import {
  ENTRY_TYPES,
  type EntryType,
  isJsonObject,
  type JsonObject,
  type PublishRequest,
} from '@portolan/plugin-api';
import { bodyInvalid, type PlacedIssue } from '../errors.ts';
import { publishQuery } from '../parameters/admin-parameters.ts';
import { queryValues } from './read-parameters.ts';
import { bodyOf } from '../request/request-state.ts';
import { type Step, step } from '../request/route.ts';
import { unknownKeys } from '../request/unknown-keys.ts';

const HINT = 'Send {"server": {…}, "claims": {"org": "acme"}}, or a skill or plugin in place of the server.';

/**
 * Runs the hook `beforePublish`, whose taps change and check the parsed request. Throws ERR_BODY_INVALID,
 * errors of the publish rules, ERR_PLUGIN_HOOK, and errors by which a tap refuses the request.
 */
export function runBeforePublish(hooks: Pick<GuardedHooks, 'beforePublish'>): Step {
  return step('runBeforePublish', async (ctx) => {
    const { source, dryRun } = queryValues(ctx, publishQuery);
    const request = { ...parsePublication(bodyOf(ctx)), source, ...(dryRun ? { dryRun } : {}) };
    const answered = await hooks.beforePublish(request, ctx.state.caller);
    // The last tap may also have changed the claims.
    const claims = requireClaimsForm(answered.claims);
    const { type, document, source: chosen } = answered;
    ctx.state.publication = { type, document, source: chosen, claims };
  });
}

/** Returns the claims if their form is valid. Throws ERR_BODY_INVALID. */
export function requireClaimsForm(value: unknown): PublishRequest['claims'] {
  const problems: PlacedIssue[] = [];
  const claims = parseClaims(value, problems);
  if (problems.length > 0) throw bodyInvalid(problems, HINT);
  return claims;
}

/** Parses a publish request without its claims, which are validated after the hook. */
function parsePublication(body: JsonObject): Omit<PublishRequest, 'source' | 'dryRun'> {
  const usedTypes = ENTRY_TYPES.filter((type) => body[type] !== undefined && body[type] !== null);
  const [type] = usedTypes;
  const problems: (string | PlacedIssue)[] = [...unknownKeys(body, [...ENTRY_TYPES, 'claims'])];
  if (usedTypes.length !== 1 || type === undefined) {
    const match = usedTypes.length === 0 ? 'none' : usedTypes.join(' and ');
    problems.push(`The body has ${match} of ${ENTRY_TYPES.join(', ')}; expected exactly one.`);
  }
  const documents = usedTypes
    .filter((name) => !isJsonObject(body[name]))
    .map((name) => ({ path: name, message: `${name} is not a JSON object.` }));
  const claims = parseClaims(body['claims'], problems);
  problems.push(...documents);
  if (problems.length > 0 || type === undefined) throw bodyInvalid(problems, HINT);
  return { type, document: documentOf(body, type), claims };
}

function documentOf(body: JsonObject, type: EntryType): JsonObject {
  // SAFETY: the value was checked above.
  return body[type] as JsonObject;
}

function parseClaims(value: unknown, problems: (string | PlacedIssue)[]): PublishRequest['claims'] {
  if (value === undefined || value === null) return undefined;
  const parsed = parseResourceClaims(value);
  if ('claims' in parsed) return parsed.claims;
  problems.push(...parsed.problems.map((message) => ({ path: 'claims', message })));
  return undefined;
}
