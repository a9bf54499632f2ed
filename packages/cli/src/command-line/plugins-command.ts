import { Flags } from '@oclif/core';
import { installedPluginsFile } from '../context/installed-plugins.ts';
import type { InstalledPackage } from '../plugins/install-plugins.ts';
import { PluginFolder } from '../plugins/plugin-folder.ts';
import { BaseCommand } from './base-command.ts';

/** Flags of commands that start npm. */
export const npmFlags = {
  verbose: Flags.boolean({ char: 'v', description: 'show what npm writes' }),
};

/** Flags of commands that install packages. */
export const installFlags = {
  'allow-scripts': Flags.boolean({
    description:
      'run the install scripts of the package and its dependencies, after its manifest was checked',
  }),
  ...npmFlags,
};

/** What commands about plugins have in common. */
export abstract class PluginsCommand extends BaseCommand {
  protected readonly folder = new PluginFolder(installedPluginsFile(process.env));

  /** Prints what was installed, and on standard error whose install scripts did not run. */
  protected report(verb: string, { name, version, skippedScripts }: InstalledPackage): void {
    this.log(`${verb} ${name} ${version}`);
    if (skippedScripts.length === 0) return;
    process.stderr.write(
      `note: the install scripts of ${skippedScripts.join(', ')} did not run; if the plugin needs them, install it again with --allow-scripts\n`,
    );
  }
}
