import { PortolanError } from '@portolan/plugin-api';

/**
 * A tap threw an error or returned a value that its hook does not take. The message
 * and the public message name the plugin; the text of the plugin's error is in the
 * cause only, so that callers never see it.
 */
export function hookFailed(plugin: string, hook: string, what: string, cause?: unknown): PortolanError {
  const message = `The plugin "${plugin}" failed in the hook "${hook}": ${what}.`;
  return new PortolanError('ERR_PLUGIN_HOOK', 'fault', message, {
    publicMessage: message,
    hint: 'The log has the cause. Until it is corrected, take the plugin out of "plugins".',
    cause,
  });
}
