import { isPortolanError, PortolanError } from '@portolan/plugin-api';
import { describeThrown } from '../faults/describe-thrown.ts';
import type { PluginOrigin } from '../plugins/plugin-errors.ts';

/** Creates the error for two configured plugins with a kind of the same name. */
export function kindClash(what: string, first: PluginOrigin, second: PluginOrigin): PortolanError {
  return new PortolanError(
    'ERR_PLUGIN_KIND_CLASH',
    'mistake',
    `Two plugins define the ${what}: "${first.plugin}" (${first.file}) and "${second.plugin}" (${second.file}).`,
    { hint: 'Remove one of the two from "plugins".' },
  );
}

/**
 * Creates the error for a configured plugin that has a built-in kind's name without permission to override
 * it.
 */
export function kindShipped(what: string, shipped: string, configured: PluginOrigin): PortolanError {
  return new PortolanError(
    'ERR_PLUGIN_KIND_CLASH',
    'mistake',
    `The plugin "${configured.plugin}" (${configured.file}) defines the ${what}, which "${shipped}" of Portolan defines.`,
    {
      hint: 'To replace the shipped one, write { use: ..., override: true } in "plugins"; otherwise remove the plugin.',
    },
  );
}

/**
 * Creates the error for a kind's `create` that threw. `where` names the setting for which the instance was
 * created. The cause contains no secret.
 */
export function instanceFailed(place: PluginOrigin, where: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_PLUGIN_CREATE',
    'mistake',
    `The plugin "${place.plugin}" (${place.file}) could not create ${where}: ${asClause(cause)}.`,
    { hint: hintOf(cause) ?? 'Check the settings at this place, or ask the author of the plugin.', cause },
  );
}

/**
 * Creates the error for a kind's `create` that returned a value which is no instance of this sort of kind.
 */
export function instanceBroken(place: PluginOrigin, where: string, what: string): PortolanError {
  return new PortolanError(
    'ERR_PLUGIN_SHAPE',
    'mistake',
    `The plugin "${place.plugin}" (${place.file}) is broken: for ${where}, its create returned ${what}.`,
    { hint: 'Install another release of the plugin, or remove it. Report the fault to its author.' },
  );
}

function hintOf(cause: unknown): string | undefined {
  return isPortolanError(cause) ? cause.hint : undefined;
}

function asClause(thrown: unknown): string {
  return describeThrown(thrown).replace(/\.$/, '');
}
