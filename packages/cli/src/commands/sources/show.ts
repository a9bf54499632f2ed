import { sourceName } from '../../command-line/flags/admin-flags.ts';
import { formatFlag } from '../../command-line/flags/format-flag.ts';
import { serverFlags } from '../../command-line/flags/server-flags.ts';
import { ServerCommand } from '../../command-line/server-command.ts';
import { getResource } from '@portolan/registry-client';
import { printSource } from '../../admin/print-resources.ts';

export default class SourcesShow extends ServerCommand {
  static override summary = 'Show a source: its definition, its last sync and its skipped entries';
  static override args = sourceName;
  static override flags = { ...serverFlags, format: formatFlag };

  override async run(): Promise<void> {
    const { args, flags } = await this.parse(SourcesShow, this.argumentsOf(SourcesShow));
    const { body } = await getResource(await this.connect(flags), 'source', args.name);
    this.print(flags.format, body, printSource(body));
  }
}
