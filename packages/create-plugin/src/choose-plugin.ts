import { parseArgs } from 'node:util';
import { PLUGIN_KINDS, type PluginKind } from './plugin-kinds.ts';
import type { PluginPlan } from './render-plugin.ts';
import { UsageError } from './usage-error.ts';

/** Asks the user a question on the terminal, and returns the response. */
export type Ask = (question: string) => Promise<string>;

export interface PluginArguments {
  readonly name: string | undefined;
  readonly kind: string | undefined;
  readonly packageName: string | undefined;
  readonly folder: string | undefined;
  readonly help: boolean;
}

const OPTIONS = {
  kind: { type: 'string', short: 'k' },
  package: { type: 'string' },
  folder: { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
} as const;

const KIND_NAMES = PLUGIN_KINDS.map(({ name }) => name);
const NAME = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;
/** Names that npm accepts: at most 214 characters. */
const PACKAGE = /^(?=.{1,214}$)(?:@[a-z0-9][a-z0-9._-]*\/)?[a-z0-9][a-z0-9._-]*$/;
const HELP_HINT = 'Run with --help for the usage.';

/** Parses the words of the command line. Throws a UsageError for unknown options and more than one name. */
export function parseArguments(words: readonly string[]): PluginArguments {
  const { values, positionals } = parse(words);
  const [name, second] = positionals;
  if (second !== undefined)
    throw new UsageError(`Expected one name, found ${JSON.stringify(`${name} ${second}`)}.`, HELP_HINT);
  const { kind, package: packageName, folder, help } = values;
  return { name, kind, packageName, folder, help };
}

function parse(words: readonly string[]) {
  try {
    return parseArgs({ args: [...words], options: OPTIONS, allowPositionals: true });
  } catch (error) {
    // The first sentence of Node.js names the fault, the others how to escape it.
    const [sentence = ''] = String(Object(error).message).split(/\.\s/);
    throw new UsageError(`${sentence.replace(/\.$/, '')}.`, HELP_HINT);
  }
}

/**
 * Returns what to create. Asks for a missing kind or name on a terminal (`ask`). Throws a UsageError for an
 * invalid value, and for a missing one without a terminal.
 */
export async function choosePlugin(given: PluginArguments, ask: Ask | undefined): Promise<PluginPlan> {
  const kind = findKind(given.kind ?? (await askFor(ask, '--kind KIND', kindQuestion())));
  const name = given.name ?? (await askFor(ask, 'a name', 'Name, such as wiki: '));
  if (!NAME.test(name)) {
    throw new UsageError(
      `The name ${JSON.stringify(name)} is invalid.`,
      'Use lower-case letters, digits and hyphens, beginning with a letter.',
    );
  }
  const packageName = given.packageName ?? `portolan-plugin-${name}`;
  if (!PACKAGE.test(packageName)) {
    throw new UsageError(
      `The package name ${JSON.stringify(packageName)} is invalid.`,
      'Write a name that npm accepts, such as @acme/portolan-plugin-wiki.',
    );
  }
  return { kind, name, packageName };
}

async function askFor(ask: Ask | undefined, what: string, question: string): Promise<string> {
  if (ask !== undefined) return (await ask(question)).trim();
  throw new UsageError(
    `Expected ${what}, and there is no terminal to ask.`,
    'Write: create-plugin NAME --kind KIND',
  );
}

/** Returns the kind of this name, or of this number in the list. */
function findKind(text: string): PluginKind {
  const found = PLUGIN_KINDS.find(({ name }, index) => name === text || String(index + 1) === text);
  if (found !== undefined) return found;
  throw new UsageError(`The kind ${JSON.stringify(text)} is unknown.`, `Kinds: ${KIND_NAMES.join(', ')}`);
}

function kindQuestion(): string {
  const lines = PLUGIN_KINDS.map(
    ({ name, summary }, index) => `${String(index + 1).padStart(3)}  ${name.padEnd(21)} ${summary}`,
  );
  return `${lines.join('\n')}\nKind (name or number): `;
}
