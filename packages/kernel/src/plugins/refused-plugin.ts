import { isPortolanError, type PortolanError } from '@portolan/plugin-api';
import { FURTHER_KINDS } from '../config/core-schema.ts';
import { formatConfigPath, type ConfigPath, type PositionFinder } from '../faults/config-path.ts';
import { type ConfigProblem, configProblem } from '../faults/config-problem.ts';

export interface RefusedPlugin {
  readonly specifier: string;
  readonly place: ConfigPath;
  readonly error: PortolanError;
}

interface Reference {
  readonly specifier: string;
  readonly optionsPlace: ConfigPath;
}

export type Refuse = (reference: Reference, error: unknown) => void;

export const refuseAtOnce: Refuse = (_reference, error) => {
  throw error;
};

/**
 * Records the errors of items of `plugins` that cannot be loaded, to report them together. Throws the error
 * of any other plugin at once.
 */
export class RefusedPlugins {
  readonly #refused: RefusedPlugin[] = [];

  readonly refuse: Refuse = ({ specifier, optionsPlace }, error) => {
    const place = optionsPlace.slice(0, 2);
    if (place[0] !== 'plugins' || place.length < 2 || !isPortolanError(error)) throw error;
    this.#refused.push({ specifier, place, error });
  };

  get list(): readonly RefusedPlugin[] {
    return this.#refused;
  }
}

export function refusedProblem(
  { specifier, place, error }: RefusedPlugin,
  positionOf: PositionFinder,
): ConfigProblem {
  const why = [error.message, error.hint ?? ''].join(' ').trimEnd();
  const expected = `a plugin that can be loaded. ${why}`;
  return configProblem(formatConfigPath(place), JSON.stringify(specifier), expected, {
    position: positionOf(place),
  });
}

export function inPlaceOf(
  { place, error }: RefusedPlugin,
  { file, positionOf }: { readonly file: string | undefined; readonly positionOf: PositionFinder },
): PortolanError {
  const position = positionOf(place);
  if (file === undefined || position === undefined) return error;
  // Changes the message of the same error object, because its stack and cause show what failed in the plugin.
  error.message += ` It is ${formatConfigPath(place)} at ${file}:${position.line}:${position.column}.`;
  return error;
}

/**
 * Returns whether a problem may only exist because a plugin is missing that would add the key or auth mode.
 * False when the name is a misspelt known name.
 */
export function mayComeFromPlugin({ place, expected, didYouMean }: ConfigProblem): boolean {
  if (didYouMean !== undefined) return false;
  return place === 'auth.mode' || /^auth\.[^.[]+$/.test(place) || expected.includes(FURTHER_KINDS);
}
