import { Command, Flags } from '@oclif/core';
import { splitArguments } from './arguments.ts';
import { badArgument } from '../terminal/terminal-errors.ts';

/** What all commands share: the flag `--debug`, and how arguments are read. */
export abstract class BaseCommand extends Command {
  static override baseFlags = {
    help: Flags.boolean({ char: 'h', description: 'show this help', helpGroup: 'GLOBAL' }),
    debug: Flags.boolean({
      description: 'log details, also to the log of a started workload, and show where an error comes from',
      helpGroup: 'GLOBAL',
    }),
  };

  /**
   * The arguments as the parser underneath has to see them. Throws
   * ERR_BAD_ARGUMENT for words after `--`, which no command takes yet.
   */
  protected argumentsOf(command: { readonly flags: object; readonly baseFlags: object }): string[] {
    const { own, rest } = splitArguments(this.argv, { ...command.baseFlags, ...command.flags });
    if (rest.length > 0) throw badArgument(`unexpected argument: ${rest.join(' ')}`);
    return own;
  }

  /** Whether a flag such as `--url` stands on the command line: it may have its value of a variable. */
  protected isTyped(flag: string): boolean {
    return this.argv.some((word) => word === flag || word.startsWith(`${flag}=`));
  }

  /** Prints a value on standard output: JSON, indented, when the format says so, else the text. */
  protected print(format: string, value: unknown, text: string): void {
    this.log(format === 'json' ? JSON.stringify(value, null, 2) : text);
  }
}
