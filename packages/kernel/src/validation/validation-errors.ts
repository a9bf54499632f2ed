import { isPortolanError, PortolanError } from '@portolan/plugin-api';
import { type ConfigProblem, printProblems } from '../faults/config-problem.ts';
import { describeThrown } from '../faults/describe-thrown.ts';
import type { PluginOrigin } from '../plugins/plugin-errors.ts';

/**
 * Creates the error for an invalid configuration. `problems` contains every problem and `warnings` every
 * warning; the message shows all of them.
 */
export function configInvalid(
  file: string | undefined,
  problems: readonly ConfigProblem[],
  warnings: readonly string[] = [],
): PortolanError & { readonly problems: readonly ConfigProblem[]; readonly warnings: readonly string[] } {
  const text = [
    printProblems(file ?? 'The configuration', problems),
    ...warnings.map((warning) => `warning: ${warning}`),
  ].join('\n');
  return Object.assign(new PortolanError('ERR_CONFIG_INVALID', 'mistake', text), { problems, warnings });
}

/** Creates the error for a kind's `check` that threw. The cause contains no secret. */
export function kindCheckFailed(place: PluginOrigin, kind: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_PLUGIN_CHECK',
    'fault',
    `The plugin "${place.plugin}" (${place.file}) failed in "check" of its kind "${kind}": ${asClause(cause)}.`,
    { hint: hintOf(cause) ?? 'Check the settings of this kind, or ask the author of the plugin.', cause },
  );
}

/** Creates the error for a kind's `check` that returned anything but a list of problems. */
export function kindCheckBroken(place: PluginOrigin, kind: string, what: string): PortolanError {
  return new PortolanError(
    'ERR_PLUGIN_CHECK',
    'fault',
    `The plugin "${place.plugin}" (${place.file}) is broken: "check" of its kind "${kind}" returned ${what}.`,
    {
      hint: 'Report the fault to the author of the plugin: "check" must return a list of { place, found, expected }, empty without problems.',
    },
  );
}

function hintOf(cause: unknown): string | undefined {
  return isPortolanError(cause) ? cause.hint : undefined;
}

function asClause(thrown: unknown): string {
  return describeThrown(thrown).replace(/\.$/, '');
}
