import type { EntryType } from '@portolan/plugin-api';
import type { ErrorObject } from 'ajv/dist/2020.js';
import { countCharacters } from '../count-characters.ts';
import {
  isJsonObject,
  memberOf,
  namesInPointer,
  nameOfType,
  pathOfMember,
  quote,
  textOf,
} from '../json-value.ts';
import type { DocumentIssue } from '../rules/issue-list.ts';
import { MAX_ISSUES } from '../rules/issue-list.ts';
import { documentValidator } from './document-validators.ts';

/** Maximum number of values for which all errors are reported; larger documents only get the first. */
const MAX_VALUES_FOR_ALL_ERRORS = 20_000;

/** Returns schema errors. All errors of a very large document would take more memory than the document. */
export function findSchemaIssues(
  type: EntryType,
  document: unknown,
  values: number,
): readonly DocumentIssue[] {
  const validate = documentValidator(type, values <= MAX_VALUES_FOR_ALL_ERRORS);
  if (validate(document)) return [];
  return (validate.errors ?? [])
    .filter((error) => error.keyword !== 'if' && !error.schemaPath.includes('/anyOf/'))
    .slice(0, MAX_ISSUES + 1)
    .map((error) => issueOf(error, document));
}

function issueOf(error: ErrorObject, document: unknown): DocumentIssue {
  const place = pathOfPointer(error.instancePath, document);
  const missing: unknown = error.params['missingProperty'];
  const path = typeof missing === 'string' ? pathOfMember(place, missing) : place;
  return {
    type: 'schema',
    path,
    message: messageOf(error),
    severity: 'error',
    reference: `schema:${error.keyword}`,
  };
}

function messageOf(error: ErrorObject): string {
  const { keyword, data } = error;
  const limit = String(error.params['limit']);
  const expected = textOf(error.parentSchema, 'x-expected') ?? error.message ?? 'something else';
  switch (keyword) {
    case 'required':
      return `found nothing; expected ${expectedMember(error)}`;
    case 'type':
      return `found ${quote(data)}; expected ${nameOfSchemaType(error.params['type'])}`;
    case 'maxLength':
      return `found ${charactersOf(data)}; expected at most ${limit}`;
    case 'minLength':
      return `found ${charactersOf(data)}; expected at least ${limit}`;
    case 'enum':
      return `found ${quote(data)}; expected one of ${listChoices(error.params['allowedValues'])}`;
    case 'format':
      return `found ${quote(data)}; expected an absolute URI`;
    case 'uniqueItems':
      return `found the same item at ${String(error.params['j'])} and ${String(error.params['i'])}; expected each once`;
    case 'additionalProperties':
      return `found the unknown member ${quote(error.params['additionalProperty'])}; expected only known ones`;
    case 'anyOf':
      return `found neither; expected ${expected}`;
    default:
      return `found ${quote(data)}; expected ${expected}`;
  }
}

/** Describes what a missing member should be, as far as its schema says. */
function expectedMember(error: ErrorObject): string {
  const properties = memberOf(error.parentSchema, 'properties');
  const schema = memberOf(properties, String(error.params['missingProperty']));
  const choices = memberOf(schema, 'enum');
  if (Array.isArray(choices)) return `one of ${listChoices(choices)}`;
  return nameOfSchemaType(memberOf(schema, 'type') ?? 'object');
}

function nameOfSchemaType(type: unknown): string {
  return type === 'object' || type === 'array' ? `an ${type}` : `a ${String(type)}`;
}

function listChoices(choices: unknown): string {
  return Array.isArray(choices) ? choices.map(quote).join(', ') : nameOfType(choices);
}

function charactersOf(text: unknown): string {
  return countCharacters(typeof text === 'string' ? Array.from(text).length : 0);
}

/** Converts `/packages/0/transport` to `packages[0].transport`; the document tells lists from objects. */
function pathOfPointer(pointer: string, document: unknown): string {
  let path = '';
  let value: unknown = document;
  for (const key of namesInPointer(pointer)) {
    if (Array.isArray(value)) {
      path = pathOfMember(path, Number(key));
      value = value[Number(key)];
    } else {
      path = pathOfMember(path, key);
      value = isJsonObject(value) ? memberOf(value, key) : undefined;
    }
  }
  return path;
}
