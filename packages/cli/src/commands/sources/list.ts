import { formatFlag } from '../../command-line/flags/format-flag.ts';
import { serverFlags } from '../../command-line/flags/server-flags.ts';
import { ServerCommand } from '../../command-line/server-command.ts';
import { listResources } from '@portolan/registry-client';
import { printSources } from '../../admin/print-resources.ts';

export default class SourcesList extends ServerCommand {
  static override summary = 'List the sources of a registry server, with their last sync';
  static override description = 'Lists the sources that you may see. Needs the role manageSources.';
  static override flags = { ...serverFlags, format: formatFlag };

  override async run(): Promise<void> {
    const { flags } = await this.parse(SourcesList, this.argumentsOf(SourcesList));
    const sources = await listResources(await this.connect(flags), 'source');
    this.print(flags.format, { sources }, printSources(sources));
  }
}
