import { isJsonObject, type JsonObject } from '@portolan/plugin-api';
import type { Readable } from 'node:stream';
import { nameOfInput, readFault, readInput } from '../terminal/read-input.ts';
import { definitionUnusable } from './admin-errors.ts';

const MAX_BYTES = 16 * 1024 * 1024;

/**
 * Reads the definition of a source or a registry from a file, or from standard input for `-`: YAML or JSON,
 * as an item of the configuration. A `name` in it must equal the given name. Throws ERR_NAMED_FILE.
 */
export async function readDefinition(file: string, name: string, stdin: Readable): Promise<JsonObject> {
  const { name: named, ...definition } = await parseDefinition(
    await readText(file, stdin),
    nameOfInput(file),
  );
  if (named !== undefined && named !== name)
    throw definitionUnusable(
      nameOfInput(file),
      `found the name ${JSON.stringify(named)}; expected "${name}"`,
    );
  return definition;
}

async function readText(file: string, stdin: Readable): Promise<string> {
  const shown = nameOfInput(file);
  let bytes: Buffer | undefined;
  try {
    bytes = await readInput(file, stdin, MAX_BYTES);
  } catch (error) {
    throw definitionUnusable(shown, readFault(error), error);
  }
  if (bytes === undefined) throw definitionUnusable(shown, `it has more than ${MAX_BYTES} bytes`);
  return bytes.toString('utf8');
}

async function parseDefinition(text: string, file: string): Promise<JsonObject> {
  const { parseDocument } = await import('yaml');
  const document = parseDocument(text, { prettyErrors: false });
  const [fault] = document.errors;
  if (fault !== undefined)
    throw definitionUnusable(file, `it is neither YAML nor JSON (${fault.code})`, fault);
  let value: unknown;
  try {
    value = document.toJS();
  } catch (error) {
    throw definitionUnusable(file, 'its YAML aliases cannot be resolved', error);
  }
  if (!isJsonObject(value)) throw definitionUnusable(file, 'it is not a map');
  return value;
}
