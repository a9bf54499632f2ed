import type { Command, Interfaces } from '@oclif/core';
import { flagRow, RUN_FLAG_NAMES } from '@portolan/run-spec';
import { summaryOf } from './command-texts.ts';
import type { CompletedCommand, CompletedFlag, CompletedValue } from './completion-script.ts';

/** Values of run flags, which every command with such a flag has. */
const CHOICES: ReadonlyMap<string, readonly string[]> = new Map(
  RUN_FLAG_NAMES.flatMap((name) => {
    const { flag, choices } = flagRow(name);
    return choices === undefined ? [] : [[flag, choices] as const];
  }),
);

/** In the help, what stands for a value says what it is. */
const FILES = /(?:^|\|)(?:FILE|PATH|DIRECTORY|HOST-PATH:.*)$/;

/** What oclif has of a flag with a value. */
interface ValuedFlag {
  readonly name: string;
  readonly options?: readonly string[] | undefined;
  readonly helpValue?: string | readonly string[] | undefined;
}

/** What shells complete of every command that is not hidden. */
export function completedCommands(config: Interfaces.Config): readonly CompletedCommand[] {
  const completed = config.commands
    .filter(({ hidden }) => !hidden)
    .map((command): CompletedCommand => {
      const { id, flags, args } = command;
      const [argument] = Object.values(args).filter(({ hidden }) => hidden !== true);
      return {
        words: id.replaceAll(':', ' '),
        summary: summaryOf(command, config),
        flags: Object.values(flags)
          .filter(({ hidden }) => hidden !== true)
          .flatMap(completedFlags)
          .toSorted((left, right) => (left.name < right.name ? -1 : 1)),
        ...(argument?.options === undefined ? {} : { argument: argument.options }),
      };
    });
  const list = completed.find(({ words }) => words === 'list');
  return list === undefined
    ? completed
    : [...completed, ...['ls', 'ps'].map((words) => ({ ...list, words }))];
}

function completedFlags(flag: Command.Flag.Cached): readonly CompletedFlag[] {
  const value = flag.type === 'option' ? valueOf(flag) : undefined;
  const completed = {
    name: `--${flag.name}`,
    ...(flag.char === undefined ? {} : { char: `-${flag.char}` }),
    ...(value === undefined ? {} : { value }),
  };
  const hasNo = flag.type === 'boolean' && flag.allowNo;
  return hasNo ? [completed, { name: `--no-${flag.name}` }] : [completed];
}

function valueOf({ name, options, helpValue }: ValuedFlag): CompletedValue {
  const choices = options ?? CHOICES.get(name);
  if (choices !== undefined) return choices;
  if (name === 'group') return 'group';
  if ((name === 'source' || name === 'registry') && helpValue === 'NAME') return name;
  return [helpValue].flat().some((text) => text !== undefined && FILES.test(text)) ? 'file' : 'nothing';
}
