import { Args } from '@oclif/core';
import { installFlags, PluginsCommand } from '../../command-line/plugins-command.ts';
import { resolveSpec } from '../../plugins/resolve-spec.ts';
import { installPlugin } from '../../plugins/install-plugins.ts';

export default class PluginsInstall extends PluginsCommand {
  static override summary = 'Install plugins, which provide commands and kinds';
  static override description =
    'PLUGIN is a package of the package index (NAME or NAME@VERSION), a packed file, a folder, or the address ' +
    'of a Git repository with JavaScript code. npm installs it without install scripts and without ' +
    'dependencies from Git repositories. Portolan checks the manifest before any code of the package runs, ' +
    'and removes a package that fails the check. Imports of @portolan/* in a plugin resolve to this program.';
  static override examples = [
    '<%= config.bin %> plugins install @acme/portolan-plugin-wiki',
    '<%= config.bin %> plugins install ./acme-portolan-plugin-wiki-1.0.0.tgz',
  ];
  static override aliases = ['plugins:add'];
  static override strict = false;
  static override args = {
    plugin: Args.string({
      description: 'package, file, folder or address',
      required: true,
      ignoreStdin: true,
    }),
  };
  static override flags = installFlags;

  override async run(): Promise<void> {
    const { argv, flags } = await this.parse(PluginsInstall, this.argumentsOf(PluginsInstall));
    for (const word of argv) {
      const installed = await installPlugin(resolveSpec(String(word), process.cwd()), this.folder, {
        environment: process.env,
        allowScripts: flags['allow-scripts'],
        verbose: flags.verbose,
      });
      this.report('installed', installed);
    }
  }
}
