import { boolean } from '../../command-line/flags/flag-types.ts';
import { formatFlag } from '../../command-line/flags/format-flag.ts';
import { formatTable } from '../../terminal/format-table.ts';
import { WorkloadCommand } from '../../command-line/workload-command.ts';

export default class ConfigList extends WorkloadCommand {
  static override summary = "List this user's settings";
  static override flags = {
    all: boolean({ char: 'a', description: 'every setting that there is, with what it means' }),
    format: formatFlag,
  };

  override async run(): Promise<number> {
    const { flags } = await this.readArguments(ConfigList);
    return await this.withWorkloads(flags, async ({ directories }) => {
      const { KNOWN_SETTINGS, listSettings } = await import('@portolan/workload');
      if (flags.all === true) {
        const known = KNOWN_SETTINGS.map(({ key, is, description }) => ({
          key: key.replaceAll('*', 'NAME'),
          is,
          description,
        }));
        const lines = known.map(({ key, description }) => [key, description]);
        this.print(flags.format, known, formatTable(['setting', 'meaning'], lines));
        return;
      }
      const settings = await listSettings(directories);
      const rows = settings.map(({ key, value }) => [key, [value].flat().join(', ')]);
      const values = Object.fromEntries(settings.map(({ key, value }) => [key, value]));
      this.print(
        flags.format,
        values,
        rows.length === 0 ? 'Nothing is set' : formatTable(['setting', 'value'], rows),
      );
    });
  }
}
