import type { Config, Hook } from '@oclif/core';
import type { CommandMatch } from './find-command.ts';

/** Error that ends the plugin's command when the user declines the suggestion. */
const DECLINED = new Error('The person at the terminal did not mean the command that was offered.');

/**
 * Asks the user at the terminal whether the command nearest to an unknown one was meant. Returns that
 * command; undefined without a terminal, when the user declines, or after ten seconds.
 */
export async function offerCommand(unknown: CommandMatch, config: Config): Promise<CommandMatch | undefined> {
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
