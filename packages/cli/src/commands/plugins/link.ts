import { Args } from '@oclif/core';
import path from 'node:path';
import { PluginsCommand } from '../../command-line/plugins-command.ts';
import { linkPlugin } from '../../plugins/install-plugins.ts';

export default class PluginsLink extends PluginsCommand {
  static override summary = 'Use a plugin from its development folder';
  static override description =
    'Installs nothing: build the plugin and install its dependencies in that folder.';
  static override examples = ['<%= config.bin %> plugins link .'];
  static override args = {
    folder: Args.string({
      description: 'folder with the package.json of the plugin',
      default: '.',
      ignoreStdin: true,
    }),
  };

  override async run(): Promise<void> {
    const { args } = await this.parse(PluginsLink, this.argumentsOf(PluginsLink));
    const { name, version } = await linkPlugin(path.resolve(args.folder), this.folder);
    this.log(`linked ${name} ${version}`);
  }
}
