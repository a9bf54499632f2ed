import { PortolanError } from '@portolan/plugin-api';

/** Creates the error for an unreadable list of installed plugins. */
export function installedPluginsUnreadable(file: string, cause: unknown): PortolanError {
  const problem = cause instanceof Error ? cause.message : String(cause);
  return new PortolanError('ERR_PLUGIN_SHAPE', 'mistake', `${file} cannot be read: ${problem}`, {
    hint: 'correct the file, or move it away and install the plugins again with `portolan plugins install`',
    cause,
  });
}
