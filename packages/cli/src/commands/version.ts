import { BaseCommand } from '../command-line/base-command.ts';
import { readBuildInfo } from '../context/build-info.ts';
import { formatFlag } from '../command-line/flags/format-flag.ts';

export default class Version extends BaseCommand {
  static override summary = 'Print the versions of Portolan and Node.js';
  static override flags = { format: formatFlag };

  override async run(): Promise<void> {
    const { flags } = await this.parse(Version, this.argumentsOf(Version));
    const { version } = this.config;
    const { commit, buildDate } = await readBuildInfo();
    const platform = `${process.platform}-${process.arch}`;
    const built = commit === undefined ? '' : `, commit ${commit.slice(0, 12)}`;
    this.print(
      flags.format,
      { version, commit, buildDate, node: process.version, platform },
      `portolan ${version} (Node.js ${process.version}, ${platform}${built})`,
    );
  }
}
