import { findPackageJSON } from 'node:module';
import { asksForDebug, withDebugBehind } from './debug-words.ts';
import { processEnd } from './process-end.ts';
import { runCommandLine } from './run-command-line.ts';

/** Of this package: the built file lies elsewhere in it than this one. */
const manifestFile = findPackageJSON(import.meta.url) ?? '';

/**
 * Runs the command that the arguments name and ends the process with its exit
 * status, whatever plugins may have left running or try to end it with. `commands` is the folder of
 * the command files, from the root of this package.
 */
export async function main(argv: readonly string[], commands: string): Promise<never> {
  const [first] = argv.filter((word) => !word.startsWith('-'));
  // Before the framework's own listener, which throws.
  process.stdout.prependListener('error', (error: NodeJS.ErrnoException) => {
    // A server goes on without whoever read its audit log; the plugin that writes it is told as well. A client
    // of `proxy stdio` that is gone leaves a session, which that command ends.
    if (first === 'serve' || first === 'proxy') return;
    // A reader such as `head` has left; nothing is wrong.
    if (error.code === 'EPIPE') processEnd.end(0);
    process.stderr.write(`error: standard output cannot be written: ${error.message}\n`);
    processEnd.end(1);
  });
  // Whoever reads the messages has left, or their file is on a full disk: the command goes on.
  process.stderr.on('error', () => undefined);
  processEnd.watch({ debug: asksForDebug(argv, process.env) });
  const words = withoutAliases(withDebugBehind(argv));
  const status = await runCommandLine(words, { manifestFile, commands });
  return processEnd.end(status);
}

/** `help serve`, `--version` and `plugins:install` are other ways to say `serve --help`, `version` and `plugins install`. */
function withoutAliases(argv: readonly string[]): readonly string[] {
  const [first = '', ...rest] = argv;
  if (first === 'help') return withoutAliases([...rest, '--help']);
  if (first === '--version') return ['version', ...rest];
  if (first.startsWith('plugins:')) return [...first.split(':'), ...rest];
  return argv;
}
