import path from 'node:path';
import { createInterface } from 'node:readline';
import { type Ask, choosePlugin, parseArguments } from './choose-plugin.ts';
import { PLUGIN_KINDS } from './plugin-kinds.ts';
import { renderPlugin, sourcePathOf } from './render-plugin.ts';
import { UsageError } from './usage-error.ts';
import { mkdir, readdir, writeFile } from 'node:fs/promises';

export { PLUGIN_KINDS, type PluginKind } from './plugin-kinds.ts';
export { PLUGIN_API_VERSION, type PluginPlan, renderPlugin } from './render-plugin.ts';
export { UsageError } from './usage-error.ts';

/** Streams of the program. */
export interface Terminal {
  readonly stdin: NodeJS.ReadableStream & { readonly isTTY?: boolean };
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly stderr: NodeJS.WritableStream;
}

const HELP = `Create a plugin for Portolan, with a contract test that passes.

Usage: create-plugin [NAME] [--kind KIND] [--package PACKAGE] [--folder FOLDER]

  NAME               name of the kind or command: lower-case letters, digits, hyphens
  -k, --kind KIND    what to create; see below
  --package PACKAGE  npm name of the package; default: portolan-plugin-NAME
  --folder FOLDER    folder to create; default: the package name without its scope
  -h, --help         print this text

On a terminal, the program asks for a missing name and kind.

Kinds:
${PLUGIN_KINDS.map(({ name, summary }) => `  ${name.padEnd(21)} ${summary}`).join('\n')}
`;

/**
 * Runs the program with the words of its command line. Returns the exit status: 0, or 2 for a mistake in the
 * arguments.
 */
export async function main(words: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const given = parseArguments(words);
    if (given.help) {
      terminal.stdout.write(HELP);
      return 0;
    }
    const plan = await withTerminal(terminal, (ask) => choosePlugin(given, ask));
    const folder = given.folder ?? plan.packageName.replace(/^.*\//, '');
    await writePlugin(path.resolve(folder), await renderPlugin(plan));
    terminal.stdout.write(
      `created ${folder} (${plan.kind.name})\n\nNext:\n  cd ${folder}\n  npm install\n  npm test\n\nUntil @portolan/* is published, install the packed packages as README.md shows.\nThen change ${sourcePathOf(plan)}.\n`,
    );
    return 0;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    terminal.stderr.write(`error: ${error.message}\nhint: ${error.hint}\n`);
    return 2;
  }
}

/** Runs an action with a function that asks the user, if there is a terminal. */
async function withTerminal<T>(
  { stdin, stdout }: Terminal,
  action: (ask: Ask | undefined) => Promise<T>,
): Promise<T> {
  if (stdin.isTTY !== true || stdout.isTTY !== true) return await action(undefined);
  const lines = createInterface({ input: stdin, output: stdout });
  // The iterator keeps lines that the user types before their question.
  const typed = lines[Symbol.asyncIterator]();
  let isClosed = false;
  lines.once('close', () => {
    isClosed = true;
  });
  const ask: Ask = async (question) => {
    lines.setPrompt(question);
    if (!isClosed) lines.prompt();
    const { value, done } = await typed.next();
    if (done === true)
      throw new UsageError(
        'Standard input ended before the question was answered.',
        'Write: create-plugin NAME --kind KIND',
      );
    return value;
  };
  try {
    return await action(ask);
  } finally {
    lines.close();
  }
}

/**
 * Writes files below a folder, which it creates. Throws a UsageError when the folder has entries, so that no
 * file is overwritten.
 */
async function writePlugin(folder: string, files: ReadonlyMap<string, string>): Promise<void> {
  if ((await listEntries(folder)).length > 0) {
    throw new UsageError(
      `The folder ${folder} is not empty.`,
      'Choose another folder with --folder, or remove this one.',
    );
  }
  for (const [file, text] of files) {
    const target = path.join(folder, file);
    await mkdir(path.dirname(target), { recursive: true });
    // `wx` fails for a file that another program has created meanwhile.
    await writeFile(target, text, { flag: 'wx' });
  }
}

/** Returns the names in a folder; none for a missing one. */
async function listEntries(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    const { code }: { readonly code?: unknown } = Object(error);
    if (code === 'ENOENT') return [];
    if (code === 'ENOTDIR')
      throw new UsageError(`${folder} is a file.`, 'Choose another folder with --folder.');
    throw error;
  }
}
