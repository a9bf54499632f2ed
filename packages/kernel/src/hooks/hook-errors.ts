import { PortolanError } from '@portolan/plugin-api';

/**
 * A tap threw, or answered with something it may not. Its own message stands in
 * the cause only: this one may be shown to whoever sent the request.
 */
export function hookFailed(plugin: string, hook: string, what: string, cause?: unknown): PortolanError {
  return new PortolanError(
    'ERR_PLUGIN_HOOK',
    'fault',
    `The plugin "${plugin}" failed in the hook "${hook}": ${what}.`,
    {
      hint: 'The log has the cause. Until it is corrected, take the plugin out of "plugins".',
      cause,
    },
  );
}
