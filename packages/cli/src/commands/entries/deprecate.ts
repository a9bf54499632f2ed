import {
  messageFlag,
  StatusCommand,
  statusArguments,
  statusFlags,
} from '../../command-line/status-command.ts';

export default class EntriesDeprecate extends StatusCommand {
  static override summary = 'Deprecate a version or all versions of an entry';
  static override description =
    'Readers still find it, with a warning. `portolan entries restore` undoes it.';
  static override args = statusArguments;
  static override flags = { ...statusFlags, message: messageFlag };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(EntriesDeprecate, this.argumentsOf(EntriesDeprecate));
    const { entry, version } = args;
    const wish = {
      entry,
      version,
      status: 'deprecated',
      message: flags.message,
      done: 'deprecated',
    } as const;
    await this.changeStatus(wish, flags);
  }
}
