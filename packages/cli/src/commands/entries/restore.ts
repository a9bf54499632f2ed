import { StatusCommand, statusArguments, statusFlags } from '../../command-line/status-command.ts';

export default class EntriesRestore extends StatusCommand {
  static override summary = 'Make a deprecated or withdrawn version, or a whole entry, active again';
  static override description = 'Also removes the message of the old status.';
  static override args = statusArguments;
  static override flags = statusFlags;

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(EntriesRestore, this.argumentsOf(EntriesRestore));
    const { entry, version } = args;
    const wish = { entry, version, status: 'active', message: undefined, done: 'restored' } as const;
    await this.changeStatus(wish, flags);
  }
}
