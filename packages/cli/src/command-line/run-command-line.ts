import { type Config, flush } from '@oclif/core';
import { commandLineFault } from './command-line-fault.ts';
import { asksForDebug } from './debug-words.ts';
import { unknownFlag } from './command-line-errors.ts';
import { exitStatusOf } from './exit-status.ts';
import { findCommand } from './find-command.ts';
import { type CommandFiles, loadCommands } from './load-commands.ts';
import { offerCommand } from './offer-command.ts';
import { ownWords } from './words-before-dashes.ts';
import { endOfPluginCommand } from './plugin-command-end.ts';
import { describeError } from '../terminal/report-error.ts';

/**
 * Runs the command that the words name, and returns its exit status. Errors are printed on standard error.
 */
export async function runCommandLine(argv: readonly string[], files: CommandFiles): Promise<number> {
  let isOurs = true;
  const debug = asksForDebug(argv, process.env);
  try {
    const config = await loadCommands(files, argv);
    const match = await findCommand(argv, config.commands, (unknown) => offerCommand(unknown, config));
    const command = match === undefined ? undefined : config.findCommand(match.id);
    if (command !== undefined) isOurs = command.pluginName === config.name;
    if (match === undefined || asksForHelp(match.rest)) await showHelp(argv, match?.id, config);
    else {
      // Commands of plugins and of oclif may lack the flag `--debug`.
      const takesDebug = isOurs && command?.flags['debug'] !== undefined;
      const words = [...(takesDebug && debug ? ['--debug'] : []), ...match.rest];
      const result = await config.runCommand(match.id, words);
      await outputTaken();
      return isOurs && typeof result === 'number' ? result : 0;
    }
    await outputTaken();
    return 0;
  } catch (error) {
    const end = isOurs ? undefined : endOfPluginCommand(error);
    if (end?.error === undefined && end !== undefined) return end.status;
    const fault = end?.error ?? (await commandLineFault(error)) ?? error;
    const text = describeError(fault, { debug });
    await new Promise<void>((resolve) => {
      process.stderr.write(text, () => resolve());
    });
    return end?.status ?? exitStatusOf(fault);
  }
}

/** Resolves when standard output is flushed, or when its reader has left. */
async function outputTaken(): Promise<void> {
  const { promise: left, resolve } = Promise.withResolvers<unknown>();
  process.stdout.once('error', resolve);
  // without a reader, oclif would wait for a `drain` event that never comes
  await Promise.race([flush(), left]);
}

async function showHelp(argv: readonly string[], id: string | undefined, config: Config): Promise<void> {
  const flag = argv.find((word) => word.startsWith('-'));
  if (id === undefined && flag !== undefined && !isHelpFlag(flag)) throw unknownFlag(flag, undefined);
  const words = id?.split(':') ?? argv.filter((word) => !word.startsWith('-'));
  const { GroupedHelp } = await import('./grouped-help.ts');
  await new GroupedHelp(config).showHelp([words.join(':')].filter((word) => word !== ''));
}

function asksForHelp(rest: readonly string[]): boolean {
  return ownWords(rest).some(isHelpFlag);
}

function isHelpFlag(word: string): boolean {
  return /^(?:--help|-h)(?:=(?:1|t|T|TRUE|true|True))?$/.test(word);
}
