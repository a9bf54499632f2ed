import { Flags } from '@oclif/core';
import { isPortolanError } from '@portolan/plugin-api';
import { installedPluginsFile } from '../context/installed-plugins.ts';
import type { InstalledPackage } from '../plugins/install-plugins.ts';
import { PluginFolder } from '../plugins/plugin-folder.ts';
import { BaseCommand } from './base-command.ts';
import { openWorkloadContext } from '../context/open-workload-context.ts';
import { chooseProvider } from '@portolan/workload';

export const npmFlags = {
  verbose: Flags.boolean({ char: 'v', description: 'show the output of npm' }),
};

export const installFlags = {
  'allow-scripts': Flags.boolean({
    description:
      'fetch dependencies from Git repositories, and run the install scripts of the package and its dependencies after the check of its manifest',
  }),
  ...npmFlags,
};

export abstract class PluginsCommand extends BaseCommand {
  protected readonly folder = new PluginFolder(installedPluginsFile(process.env));

  /** Prints the installed package, and on standard error the packages whose install scripts did not run. */
  protected report(verb: string, { name, version, skippedScripts }: InstalledPackage): void {
    this.log(`${verb} ${name} ${version}`);
    if (skippedScripts.length === 0) return;
    process.stderr.write(
      `note: the install scripts of ${skippedScripts.join(', ')} did not run; if the plugin needs them, install it again with --allow-scripts\n`,
    );
  }

  /**
   * Warns when no plugin provides the configured secret store any more. An unloadable configuration only
   * causes a warning, because the plugins have already changed.
   */
  protected async warnOfMissingStore(): Promise<void> {
    try {
      const context = await openWorkloadContext({
        environment: process.env,
        debug: false,
        configFile: process.env['PORTOLAN_CONFIG'] || undefined,
        needsKinds: true,
      });
      try {
        if (context.user.secretsProvider === undefined) return;
        const store = chooseProvider(context);
        if (context.kinds.secretStores.includes(store)) return;
        this.logToStderr(
          `warning: no plugin provides the secret store "${store}" any more, which contains your secrets; choose another one with \`portolan secret provider TYPE\``,
        );
      } finally {
        await context.close();
      }
    } catch (error) {
      if (!isPortolanError(error)) throw error;
      this.logToStderr(`warning: ${error.message}${error.hint === undefined ? '' : `\nhint: ${error.hint}`}`);
    }
  }
}
