import { Args } from '@oclif/core';
import path from 'node:path';
import { PluginsCommand } from '../../command-line/plugins-command.ts';
import { linkPlugin } from '../../plugins/install-plugins.ts';

export default class PluginsLink extends PluginsCommand {
  static override summary = 'Use a plugin from the folder in which it is developed';
  static override description =
    'The folder stays where it is, and nothing is installed: build the plugin and install its dependencies there.';
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
