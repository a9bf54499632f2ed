import { findPackageJSON } from 'node:module';
import { asksForDebug, withDebugBehind } from './debug-words.ts';
import { processEnd } from './process-end.ts';
import { runCommandLine } from './run-command-line.ts';

/** A search finds the package, because source file and built file are at different depths in it. */
const manifestFile = findPackageJSON(import.meta.url) ?? '';

/**
 * Runs the command that the arguments name, and ends the process with its exit status, even if a plugin keeps
 * timers or calls `process.exit`. `commands` is the folder of the command files, relative to the root of this
 * package.
 */
export async function main(argv: readonly string[], commands: string): Promise<never> {
  const [first] = argv.filter((word) => !word.startsWith('-'));
  // Registered before oclif's own listener, which throws.
  process.stdout.prependListener('error', (error: NodeJS.ErrnoException) => {
    // `serve` continues when the reader of its audit log has left, because the plugin that writes the log
    // gets the error too. `proxy stdio` has to end its session first.
    if (first === 'serve' || first === 'proxy') return;
    // A reader such as `head` has left, which is not an error.
    if (error.code === 'EPIPE') processEnd.end(0);
    process.stderr.write(`error: standard output cannot be written: ${error.message}\n`);
    processEnd.end(1);
  });
  // The reader of standard error has left, or the disk is full: the command goes on.
  process.stderr.on('error', () => undefined);
  processEnd.watch({ debug: asksForDebug(argv, process.env) });
  const words = withoutAliases(withDebugBehind(argv));
  const status = await runCommandLine(words, { manifestFile, commands });
  return processEnd.end(status);
}

/**
 * Replaces `help serve`, `--version` and `plugins:install` with `serve --help`, `version` and `plugins
 * install`.
 */
function withoutAliases(argv: readonly string[]): readonly string[] {
  const [first = '', ...rest] = argv;
  if (first === 'help') return withoutAliases([...rest, '--help']);
  if (first === '--version') return ['version', ...rest];
  if (first.startsWith('plugins:')) return [...first.split(':'), ...rest];
  return argv;
}
