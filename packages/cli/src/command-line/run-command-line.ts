import { type Config, flush, type Hook } from '@oclif/core';
import { commandLineFault } from './command-line-fault.ts';
import { asksForDebug } from './debug-words.ts';
import { unknownFlag } from './command-line-errors.ts';
import { exitStatusOf } from './exit-status.ts';
import { findCommand, type CommandMatch } from './find-command.ts';
import { type CommandFiles, loadCommands } from './load-commands.ts';
import { wordsBeforeDashes } from './words-before-dashes.ts';
import { describeError } from '../terminal/report-error.ts';
import { PortolanError } from '@portolan/plugin-api';

/** Error that ends the plugin's command when the user declines the suggestion. */
const DECLINED = new Error('The person at the terminal did not mean the command that was offered.');

/**
 * Asks the user at the terminal whether the command nearest to an unknown one was meant. Returns that
 * command; undefined without a terminal, when the user declines, or after ten seconds.
 */
async function offerCommand(unknown: CommandMatch, config: Config): Promise<CommandMatch | undefined> {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return undefined;
  const { default: askForNearest } = await import('@oclif/plugin-not-found');
  let meant: CommandMatch | undefined;
  const runCommand = (id: string, rest: readonly string[] = []): void => void (meant = { id, rest });
  // The plugin would run the suggested command. This replacement only records it, so that the caller runs it
  // like a command that the user typed.
  const offering = Object.create(config, { runCommand: { value: runCommand } }) as Config;
  const context: Hook.Context = {
    config: offering,
    debug: () => undefined,
    error: () => {
      throw DECLINED;
    },
    exit: () => {
      throw DECLINED;
    },
    log: () => undefined,
    warn: (message) => void process.stderr.write(`warning: ${message}\n`),
  };
  try {
    await askForNearest.call(context, { id: unknown.id, argv: [...unknown.rest], config, context });
  } catch (error) {
    if (error !== DECLINED) throw error;
  }
  return meant;
}

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
  return wordsBeforeDashes(rest).some(isHelpFlag);
}

function isHelpFlag(word: string): boolean {
  return /^(?:--help|-h)(?:=(?:1|t|T|TRUE|true|True))?$/.test(word);
}

interface PluginCommandEnd {
  readonly status: number;
  /** Error to report; undefined if the command chose its exit status without an error. */
  readonly error: PortolanError | undefined;
}

/**
 * Returns the exit status and the error for a failed command of an installed plugin. Undefined for an error
 * that is not in oclif's form, or that is from oclif's parser.
 */
function endOfPluginCommand(error: unknown): PluginCommandEnd | undefined {
  if (!(error instanceof Error) || !('oclif' in error) || 'parse' in error) return undefined;
  const { oclif } = error;
  if (typeof oclif !== 'object' || oclif === null || !('exit' in oclif) || typeof oclif.exit !== 'number') {
    return undefined;
  }
  if ('code' in error && error.code === 'EEXIT') return { status: oclif.exit, error: undefined };
  const suggestions = 'suggestions' in error && Array.isArray(error.suggestions) ? error.suggestions : [];
  const hint = suggestions.filter((one: unknown) => typeof one === 'string').join('; ');
  return {
    // oclif's default status 2 would mean a mistake in the command line, which is not known here.
    status: oclif.exit === 2 ? 1 : oclif.exit,
    error: new PortolanError('ERR_PLUGIN_COMMAND', 'fault', error.message, {
      cause: error,
      ...(hint === '' ? {} : { hint }),
    }),
  };
}
