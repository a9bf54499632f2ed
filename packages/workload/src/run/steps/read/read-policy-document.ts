import path from 'node:path';
import { isJsonObject, type JsonObject, PortolanError, readSmallFile } from '@portolan/plugin-api';
import { quote, readJson } from '@portolan/run-spec';
import { fileUnreadable } from '../../../state/state-errors.ts';

/**
 * Reads a map from a `.yaml`, `.yml` or `.json` file. `otherwise` is the format for other file name endings.
 * Throws ERR_NAMED_FILE.
 */
export async function readPolicyDocument(
  what: string,
  file: string,
  signal: AbortSignal,
  otherwise: 'json' | 'yaml' = 'json',
): Promise<JsonObject> {
  let text: string;
  try {
    text = await readSmallFile(file, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw fileUnreadable(what, file, error);
  }
  const extension = path.extname(file).toLowerCase();
  const isYaml = otherwise === 'json' ? ['.yaml', '.yml'].includes(extension) : extension !== '.json';
  const reading = isYaml ? await readYaml(text) : readJson(text);
  if ('fault' in reading) throw badPolicyFile(what, file, reading.fault);
  if (!isJsonObject(reading.value)) throw badPolicyFile(what, file, 'it is not a map');
  return reading.value;
}

async function readYaml(text: string): Promise<{ readonly value: unknown } | { readonly fault: string }> {
  const { parseDocument } = await import('yaml');
  const document = parseDocument(text, { prettyErrors: true });
  const [fault] = document.errors;
  if (fault !== undefined) return { fault: fault.message.split('\n', 1)[0] ?? 'it is not valid YAML' };
  try {
    // The conversion to JSON throws for content that has no JSON form, such as an alias that contains itself.
    const value: unknown = JSON.parse(JSON.stringify(document.toJS({ maxAliasCount: 100 })) ?? 'null');
    return { value };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : 'it cannot be read as JSON' };
  }
}

export function badPolicyFile(what: string, file: string, fault: string): PortolanError {
  return new PortolanError(
    'ERR_NAMED_FILE',
    'mistake',
    `The ${what} ${quote(file)} cannot be used: ${fault}.`,
    {
      hint: 'Correct the file; docs/guides/protect shows one.',
    },
  );
}
