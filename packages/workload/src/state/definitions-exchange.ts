import path from 'node:path';
import type { CurrentDefinitions } from '@portolan/lock';
import { type ErrorClass, isJsonObject, memberOf, readSmallFile } from '@portolan/plugin-api';
import { codeOf } from '@portolan/run-spec';
import type { Directories } from './directories.ts';
import { stateDamaged, stateInaccessible } from './state-errors.ts';

/** Maximum size of a response file in bytes: three lists of 16 MiB, as JSON texts in JSON. */
const MAX_RESPONSE_FILE_BYTES = 128 * 1024 * 1024;
const REQUEST = /^definitions-request\.(?<id>[0-9a-f]{32})\.json$/;
const RESPONSE = /^definitions\.[0-9a-f]{32}\.json$/;

/** Response of a supervisor to a command that requested the definitions of its server. */
export type DefinitionsResponse =
  | { readonly definitions: CurrentDefinitions }
  | {
      readonly error: {
        readonly code: string;
        readonly class: ErrorClass;
        readonly message: string;
        readonly hint: string | undefined;
      };
    };

/** Returns the private folder of a workload, in which a command and a supervisor exchange definitions. */
export function exchangeFolderOf(name: string, { policies }: Pick<Directories, 'policies'>): string {
  return path.join(policies, name);
}

export function requestNameOf(id: string): string {
  return `definitions-request.${id}.json`;
}

export function responseNameOf(id: string): string {
  return `definitions.${id}.json`;
}

/** Returns the id in the name of a request file; undefined for any other file. */
export function requestIdIn(file: string): string | undefined {
  return REQUEST.exec(file)?.groups?.['id'];
}

export function isResponseName(file: string): boolean {
  return RESPONSE.test(file);
}

/** Reads a response file; undefined if there is none. Throws ERR_STATE_DAMAGED and ERR_STATE_INACCESSIBLE. */
export async function readResponseFile(file: string): Promise<DefinitionsResponse | undefined> {
  let text: string;
  try {
    text = await readSmallFile(file, { maxBytes: MAX_RESPONSE_FILE_BYTES });
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw stateInaccessible(file, 'read', error);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw stateDamaged(file, 'it is not JSON');
  }
  if (!isDefinitionsResponse(value)) throw stateDamaged(file, 'it has neither definitions nor an error');
  return value;
}

function isDefinitionsResponse(value: unknown): value is DefinitionsResponse {
  if (!isJsonObject(value)) return false;
  const definitions = memberOf(value, 'definitions');
  const error = memberOf(value, 'error');
  if (isJsonObject(error)) return typeof memberOf(error, 'code') === 'string';
  return (
    isJsonObject(definitions) &&
    isJsonObject(memberOf(definitions, 'server')) &&
    ['tools', 'prompts', 'templates'].every((list) => typeof memberOf(definitions, list) === 'string')
  );
}
