import { parseResourceClaims } from '@portolan/authorization';
import { REGISTRY_NAME } from '@portolan/kernel';
import type { JsonObject, ResourceClaims } from '@portolan/plugin-api';
import type { RegistryDefinition, Unusable } from '@portolan/registry';
import { bodyInvalid, type PlacedIssue } from '../errors.ts';
import { unknownKeys } from '../request/unknown-keys.ts';

const KEYS = ['sources', 'claims'];
const FILE_ONLY = ['public', 'publicClaims'];
const MAX_SOURCES = 1000;
const NAME = new RegExp(REGISTRY_NAME);
const NAME_RULE =
  'The name of a registry is made of letters, digits and inner dots, hyphens and underscores, at most 128.';
const HINT =
  'Send {"sources": ["a", "b"], "claims": {"org": "acme"}}; the first source that has an entry wins.';

/** Returns ERR_BODY_INVALID with every problem and the parts that could be parsed. */
export function parseRegistry(
  name: string,
  body: JsonObject,
): RegistryDefinition | Unusable<RegistryDefinition> {
  const { sources: input } = body;
  const wrongSources = findSourceProblems(input);
  const wrongClaims: string[] = [];
  const claims = claimsOf(body, wrongClaims);
  const problems: readonly (string | PlacedIssue)[] = [
    ...(NAME.test(name) ? [] : [{ path: 'name', message: NAME_RULE }]),
    ...FILE_ONLY.filter((key) => Object.hasOwn(body, key)).map((key) => ({
      path: key,
      message: `${key} can be set only in the configuration file.`,
    })),
    ...unknownKeys(body, [...KEYS, ...FILE_ONLY], KEYS),
    ...wrongSources.map((message) => ({ path: 'sources', message })),
    ...wrongClaims.map((message) => ({ path: 'claims', message })),
  ];
  // SAFETY: a list without problems contains only names.
  const sources = wrongSources.length === 0 ? (input as readonly string[]) : namesIn(input);
  if (problems.length === 0) return { sources, claims };
  const fault = bodyInvalid(problems, HINT);
  return wrongClaims.length === 0 ? { fault, sources, claims } : { fault, sources };
}

/** Returns the names in a list without duplicates. */
function namesIn(sources: unknown): readonly string[] {
  if (!Array.isArray(sources) || sources.length > MAX_SOURCES) return [];
  return [...new Set(sources.filter((name) => typeof name === 'string'))];
}

function findSourceProblems(sources: unknown): readonly string[] {
  if (!Array.isArray(sources) || sources.length === 0)
    return ['sources needs the name of at least one source.'];
  if (sources.length > MAX_SOURCES)
    return [`sources has ${sources.length} names; at most ${MAX_SOURCES} are taken.`];
  if (!sources.every((name) => typeof name === 'string')) return ['sources is no list of names.'];
  const twice = sources.find((name, at) => sources.indexOf(name) !== at);
  return twice === undefined ? [] : [`sources has ${JSON.stringify(twice)} twice.`];
}

/** Parses the claims of a body; empty without claims. Appends problems to `problems`. */
export function claimsOf(body: JsonObject, problems: string[]): ResourceClaims {
  if (body['claims'] === undefined || body['claims'] === null) return {};
  const parsed = parseResourceClaims(body['claims']);
  if ('claims' in parsed) return parsed.claims;
  problems.push(...parsed.problems);
  return {};
}
