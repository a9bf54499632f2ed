import {
  messageFlag,
  StatusCommand,
  statusArguments,
  statusFlags,
} from '../../command-line/status-command.ts';

export default class EntriesWithdraw extends StatusCommand {
  static override summary = 'Withdraw a version or all versions of an entry: hide, but keep them';
  static override description =
    'Lists no longer show it, and its version stays reserved. `portolan entries restore` makes it active ' +
    'again.';
  static override args = statusArguments;
  static override flags = { ...statusFlags, message: messageFlag };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(EntriesWithdraw, this.argumentsOf(EntriesWithdraw));
    const { entry, version } = args;
    const wish = { entry, version, status: 'deleted', message: flags.message, done: 'withdrawn' } as const;
    await this.changeStatus(wish, flags);
  }
}
