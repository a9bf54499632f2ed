import { PortolanError } from '@portolan/plugin-api';

/**
 * Creates the error for a tap that threw or returned an invalid value. Both messages name the plugin. The
 * text of the plugin's error is in the cause only, so callers never see it.
 */
export function hookFailed(plugin: string, hook: string, what: string, cause?: unknown): PortolanError {
  const message = `The plugin "${plugin}" failed in the hook "${hook}": ${what}.`;
  return new PortolanError('ERR_PLUGIN_HOOK', 'fault', message, {
    publicMessage: message,
    hint: 'Read the cause in the log. Remove the plugin from "plugins" until it is corrected.',
    cause,
  });
}
