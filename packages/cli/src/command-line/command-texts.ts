import { type Command, CommandHelp, type Interfaces } from '@oclif/core';

/** Makes of a text of a command what the help says: no template for the name of the program or the like is left. */
export function rendererOf(command: Command.Loadable, config: Interfaces.Config): (text: string) => string {
  const named = { ...command, id: command.id.replaceAll(':', ' ') };
  const help = new CommandHelp(named, config, { maxWidth: Number.POSITIVE_INFINITY });
  return (text) => help.render(text);
}

/** One line: the summary, or the first line of the description of a command that has none. */
export function summaryOf(command: Command.Loadable, config: Interfaces.Config): string {
  const [summary = ''] = (command.summary ?? command.description ?? '').split('\n', 1);
  return rendererOf(command, config)(summary);
}
