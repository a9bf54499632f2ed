import { resolve } from 'node:path';
import { type ConfigBlock, readSmallFile } from '@portolan/plugin-api';
import type { SecretValues } from '../logging/secret-values.ts';
import type { Environment } from './apply-overrides.ts';
import { formatConfigPath, type ConfigPath, type PositionFinder } from '../faults/config-path.ts';
import { type ConfigProblem, configProblem } from '../faults/config-problem.ts';
import { secretFields } from './secret-fields.ts';

export interface Expansion {
  readonly environment: Environment;
  readonly directory: string;
  readonly secrets: SecretValues;
  readonly positionOf: PositionFinder;
}

/**
 * Resolves references in secret fields in place: `${NAME}`, `file:PATH` (trimmed), and `$${` for a literal
 * `${`. Does not scan resolved values again, and adds each to the known secrets. An unresolvable reference is
 * a problem and stays.
 */
export async function expandEnvironment(
  value: unknown,
  block: ConfigBlock,
  place: ConfigPath,
  expansion: Expansion,
): Promise<readonly ConfigProblem[]> {
  const problems: ConfigProblem[] = [];
  expansion.secrets.addNumbersOf(value, block);
  for (const field of secretFields(value, block, place)) {
    if (typeof field.value !== 'string') continue;
    const expanded = await expandText(field.value, expansion);
    if ('found' in expanded) {
      const position = expansion.positionOf(field.place);
      problems.push(
        configProblem(formatConfigPath(field.place), expanded.found, expanded.expected, { position }),
      );
      expansion.secrets.add(field.value);
    } else {
      expansion.secrets.add(expanded.text);
      field.replace(expanded.text);
    }
  }
  return problems;
}

type Expanded = { readonly text: string } | { readonly found: string; readonly expected: string };

async function expandText(text: string, expansion: Expansion): Promise<Expanded> {
  if (!text.startsWith('file:')) return expandVariables(text, expansion.environment);
  const path = expandVariables(text.slice('file:'.length), expansion.environment);
  return 'found' in path ? path : await readSecretFile(path.text, expansion.directory);
}

const REFERENCE = /\$\$\{|\$\{([^}]*)(\}|$)/g;

function expandVariables(text: string, environment: Environment): Expanded {
  let fault: Expanded | undefined;
  const expanded = text.replaceAll(
    REFERENCE,
    (match: string, name: string | undefined, end: string | undefined) => {
      if (name === undefined) return '${';
      const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
      if (end !== '}' || !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
        // Omits the text after `${`, which may be part of a secret.
        fault ??= {
          found: 'a malformed reference',
          expected: '${NAME}, or $${ to write a literal ${',
        };
      } else if (value === undefined || value === '') {
        fault ??= {
          found: `a reference to ${name}, which is not set`,
          expected: 'an environment variable that is set and not empty',
        };
      }
      return value ?? match;
    },
  );
  return fault ?? { text: expanded };
}

const MAX_SECRET_BYTES = 1024 * 1024;

async function readSecretFile(path: string, directory: string): Promise<Expanded> {
  const file = resolve(directory, path);
  const expected = 'a file with the value, readable by this user';
  try {
    const text = (await readSmallFile(file, { maxBytes: MAX_SECRET_BYTES })).trim();
    return text === '' ? { found: `the empty file ${file}`, expected } : { text };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    if (code === 'EFBIG')
      return { found: `a reference to ${file}, which has more than ${MAX_SECRET_BYTES} bytes`, expected };
    const reason = code === 'ENOENT' ? 'does not exist' : `cannot be read (${code})`;
    return { found: `a reference to ${file}, which ${reason}`, expected };
  }
}
