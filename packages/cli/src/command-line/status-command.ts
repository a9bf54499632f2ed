import { Args, Flags } from '@oclif/core';
import { entryArgument, managedSourceFlag } from './flags/entry-flags.ts';
import { formatFlag } from './flags/format-flag.ts';
import { type ServerFlags, serverFlags } from './flags/server-flags.ts';
import { ServerCommand } from './server-command.ts';
import { parseEntryAddress, parseVersion, printEntry } from '../publish/entry-address.ts';
import { requestStatus } from '@portolan/registry-client';

/** `TYPE/NAME [VERSION]` of commands that change the status of one version, or of all. */
export const statusArguments = {
  entry: entryArgument,
  version: Args.string({
    description: 'exact version; by default, all versions of the entry',
    ignoreStdin: true,
  }),
};

export const statusFlags = { ...serverFlags, source: managedSourceFlag, format: formatFlag };

/** `--message TEXT`: message that users see with the status. */
export const messageFlag = Flags.string({
  description: 'message for readers, such as what to use instead; at most 500 characters',
  helpValue: 'TEXT',
});

export interface StatusWish {
  readonly entry: string;
  readonly version: string | undefined;
  readonly status: 'active' | 'deprecated' | 'deleted';
  readonly message: string | undefined;
  /** Participle for the success message: `deprecated`. */
  readonly done: string;
}

export type StatusFlagValues = ServerFlags & {
  readonly source?: string | undefined;
  readonly format: string;
};

export abstract class StatusCommand extends ServerCommand {
  /** Changes the status and reports it. Throws ERR_BAD_ARGUMENT, and the errors of the request. */
  protected async changeStatus(wish: StatusWish, flags: StatusFlagValues): Promise<void> {
    const { status, message, done } = wish;
    const version = wish.version === undefined ? undefined : parseVersion(wish.version);
    const entry = parseEntryAddress(wish.entry);
    const client = await this.connect(flags);
    const updated = await requestStatus(client, entry, { version, status, message, source: flags.source });
    const value = { ...entry, version: version ?? null, status, message: message ?? null, updated };
    const versions = `${updated} version${updated === 1 ? '' : 's'} of ${printEntry(entry)}`;
    this.print(
      flags.format,
      value,
      `${done} ${version === undefined ? versions : printEntry(entry, version)}`,
    );
  }
}
