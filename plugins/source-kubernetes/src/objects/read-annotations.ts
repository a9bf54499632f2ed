import { isJsonObject, type JsonObject, type ResourceClaims } from '@portolan/plugin-api';
import { mapOf } from './cluster-object.ts';

/** Prefixes of annotations. A later prefix counts only when no earlier one has the annotation. */
const PREFIXES = ['portolan.dev/', 'toolhive.stacklok.dev/'] as const;

/** Maximum nesting of JSON in an annotation. */
const MAX_DEPTH = 50;

export interface Annotations {
  readonly url: string;
  readonly description: string;
  readonly title: string | undefined;
  readonly icon: string | undefined;
  readonly category: string | undefined;
  readonly version: string | undefined;
  readonly tools: readonly string[] | undefined;
  readonly toolDefinitions: readonly JsonObject[] | undefined;
  readonly claims: ResourceClaims;
}

/** Reason why an annotation is invalid: a sentence without values, which may be confidential. */
export interface Broken {
  readonly because: string;
}

/**
 * Parses the annotations of an object; undefined when none requests an entry. An invalid annotation hides the
 * object, because its claims or content are then unknown.
 */
export function readAnnotations(annotations: JsonObject): Annotations | Broken | undefined {
  const given = (name: string): Annotation | undefined => find(annotations, name);
  const isExported = given('registry-export');
  if (isExported === undefined || isExported.text === 'false') return undefined;
  try {
    if (isExported.text !== 'true') throw new Unusable(isExported.key, 'neither "true" nor "false"');
    return {
      url: address(required(given('registry-url'), 'registry-url'), ['https:', 'http:']),
      description: required(given('registry-description'), 'registry-description').text,
      title: filled(given('registry-title')),
      icon: optional(given('registry-icon'), (one) => address(one, ['https:'])),
      category: filled(given('registry-category')),
      version: filled(given('registry-version')),
      tools: optional(given('tools'), tools),
      toolDefinitions: optional(given('tool-definitions'), toolDefinitions),
      claims: optional(given('authz-claims'), claims) ?? {},
    };
  } catch (error) {
    if (error instanceof Unusable) return { because: error.message };
    throw error;
  }
}

/** An annotation with the prefix that it was found with. */
interface Annotation {
  readonly key: string;
  readonly text: string;
}

class Unusable extends Error {
  constructor(key: string, match: string) {
    super(`The annotation ${key} is ${match}.`);
  }
}

function find(annotations: JsonObject, name: string): Annotation | undefined {
  for (const prefix of PREFIXES) {
    const key = `${prefix}${name}`;
    const text = Object.hasOwn(annotations, key) ? annotations[key] : undefined;
    if (typeof text === 'string') return { key, text };
  }
  return undefined;
}

function required(input: Annotation | undefined, name: string): Annotation {
  if (input === undefined || input.text.trim() === '')
    throw new Unusable(input?.key ?? `${PREFIXES[0]}${name}`, 'missing');
  return input;
}

function filled(value: Annotation | undefined): string | undefined {
  return value === undefined || value.text.trim() === '' ? undefined : value.text;
}

function optional<Value>(
  input: Annotation | undefined,
  read: (value: Annotation) => Value,
): Value | undefined {
  return input === undefined ? undefined : read(input);
}

function address({ key, text }: Annotation, protocols: readonly string[]): string {
  const url = URL.parse(text);
  if (url === null || !protocols.includes(url.protocol) || /\s/.test(text)) {
    const names = protocols.map((protocol) => protocol.slice(0, -1)).join(' or ');
    throw new Unusable(key, `no absolute ${names} address`);
  }
  if (url.username !== '' || url.password !== '')
    throw new Unusable(key, 'an address with a user or a password, which everybody would see');
  return text;
}

function tools(input: Annotation): readonly string[] {
  const list = listOf(input);
  if (!list.every((one) => typeof one === 'string')) throw new Unusable(input.key, 'not a list of strings');
  return list;
}

function toolDefinitions(value: Annotation): readonly JsonObject[] {
  const list = listOf(value);
  if (!list.every((one) => isJsonObject(one) && typeof one['name'] === 'string'))
    throw new Unusable(value.key, 'not a list of tools with names');
  return list.map(mapOf);
}

function claims(input: Annotation): ResourceClaims {
  const value = json(input);
  if (!isJsonObject(value)) throw new Unusable(input.key, 'not a JSON object');
  const read = Object.entries(value).map(([name, one]): [string, string | readonly string[]] => {
    const isList = Array.isArray(one) && one.every((each) => typeof each === 'string');
    if (typeof one !== 'string' && !isList)
      throw new Unusable(input.key, 'an object with a claim that is neither a text nor a list of texts');
    return [name, one];
  });
  // Not assigned one by one, because "__proto__" is a possible claim and must be kept.
  return Object.fromEntries(read);
}

function listOf(given: Annotation): readonly unknown[] {
  const value = json(given);
  if (!Array.isArray(value)) throw new Unusable(given.key, 'not a JSON list');
  return value;
}

function json({ key, text }: Annotation): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Unusable(key, 'not JSON');
  }
  if (isDeep(value)) throw new Unusable(key, `nested in more than ${MAX_DEPTH} steps`);
  return value;
}

/** Iterative, because deep nesting would overflow a recursive check. */
function isDeep(value: unknown): boolean {
  let level: readonly unknown[] = [value];
  for (let depth = 0; depth <= MAX_DEPTH; depth += 1) {
    level = level.flatMap((one) => (typeof one === 'object' && one !== null ? Object.values(one) : []));
    if (level.length === 0) return false;
  }
  return true;
}
