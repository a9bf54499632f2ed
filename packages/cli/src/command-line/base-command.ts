import { Command, Flags } from '@oclif/core';
import { splitArguments } from './arguments.ts';
import { badArgument } from '../terminal/terminal-errors.ts';

/** Base class of all commands: the flag `--debug`, and how arguments are parsed. */
export abstract class BaseCommand extends Command {
  static override baseFlags = {
    help: Flags.boolean({ char: 'h', description: 'show this help', helpGroup: 'GLOBAL' }),
    debug: Flags.boolean({
      description: 'log details, also in the log of a started workload, and show the stack of an error',
      helpGroup: 'GLOBAL',
    }),
  };

  /**
   * Returns the arguments as oclif's parser needs them. Throws ERR_BAD_ARGUMENT for words after `--`, which
   * these commands do not accept.
   */
  protected argumentsOf(command: { readonly flags: object; readonly baseFlags: object }): string[] {
    const { own, rest } = splitArguments(this.argv, { ...command.baseFlags, ...command.flags });
    if (rest.length > 0) throw badArgument(`unexpected argument: ${rest.join(' ')}`);
    return own;
  }

  /**
   * Returns whether a flag such as `--url` is on the command line, rather than set by an environment
   * variable.
   */
  protected isTyped(flag: string): boolean {
    return this.argv.some((word) => word === flag || word.startsWith(`${flag}=`));
  }

  /** Prints a value on standard output: as indented JSON for the format `json`, else as the text. */
  protected print(format: string, value: unknown, text: string): void {
    this.log(format === 'json' ? JSON.stringify(value, null, 2) : text);
  }
}
