import { PortolanError } from '@portolan/plugin-api';

/** Creates the error for a failure of npm. `text` is its output on standard error. */
export function npmFailed(task: string, text: string): PortolanError {
  return new PortolanError('ERR_PLUGIN_NPM', 'fault', `npm could not ${task}: ${text}`, {
    hint: text.includes('non-root packages of type "git"')
      ? 'the plugin depends on a Git repository; if you trust both, repeat the command with --allow-scripts'
      : 'check name, path and network; --verbose shows the output of npm',
  });
}

/** Creates the error for a package that provides neither kinds nor commands. */
export function packageWithoutPlugin(name: string): PortolanError {
  return new PortolanError(
    'ERR_PLUGIN_SHAPE',
    'mistake',
    `the package ${name} is not a plugin: its package.json has neither the key "portolan" nor the key "oclif"`,
    { hint: 'write "portolan": { "plugin": ".", "apiVersion": 2 } into its package.json, and pack it again' },
  );
}

/** Creates the error for a folder of `plugins link` without a usable package.json. */
export function folderWithoutPackage(folder: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_PLUGIN_SHAPE',
    'mistake',
    `${folder} cannot be linked: it has no package.json with a name and a version`,
    { hint: 'name the folder with the package.json of the plugin', cause },
  );
}

/** Creates the error for a package whose name could not be determined after npm had installed it. */
export function packageUnidentified(spec: string): PortolanError {
  return new PortolanError(
    'ERR_PLUGIN_NPM',
    'fault',
    `npm has installed ${spec}, but package.json does not show which package that is`,
    { hint: 'remove the plugin with `portolan plugins uninstall`, and install it again' },
  );
}

/** Creates the error for a plugin that is not installed. */
export function pluginNotInstalled(name: string, nearestName: string | undefined): PortolanError {
  return new PortolanError('ERR_NAME_UNKNOWN', 'absent', `the plugin ${name} is not installed`, {
    hint:
      nearestName === undefined
        ? '`portolan plugins` lists the installed plugins'
        : `did you mean \`${nearestName}\`?`,
  });
}
