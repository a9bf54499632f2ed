import { isPortolanError, type PortolanError } from '@portolan/plugin-api';
import { FURTHER_KINDS } from '../config/core-schema.ts';
import { formatPlace, type Place, type PositionFinder } from '../faults/config-place.ts';
import { type ConfigProblem, configProblem } from '../faults/config-problem.ts';

/** An item of `plugins` that cannot be loaded, and why. */
export interface RefusedPlugin {
  readonly specifier: string;
  readonly place: Place;
  readonly error: PortolanError;
}

/** What asks for a plugin, as far as it matters who is to blame. */
interface Reference {
  readonly specifier: string;
  readonly optionsPlace: Place;
}

/** Takes note of a plugin that cannot be loaded; throws when nothing else can be done. */
export type Refuse = (reference: Reference, error: unknown) => void;

/** The first plugin that cannot be loaded is the only one told of. */
export const refuseAtOnce: Refuse = (_reference, error) => {
  throw error;
};

/** Collects the items of `plugins` that cannot be loaded; of all other plugins the error is thrown. */
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

/** As a problem of the configuration. */
export function refusedProblem(
  { specifier, place, error }: RefusedPlugin,
  positionOf: PositionFinder,
): ConfigProblem {
  const why = [error.message, error.hint ?? ''].join(' ').trimEnd();
  const expected = `a plugin that can be loaded. ${why}`;
  return configProblem(formatPlace(place), JSON.stringify(specifier), expected, {
    position: positionOf(place),
  });
}

/** The error of one that is the only problem, with the place in the file where that is known. */
export function inPlaceOf(
  { place, error }: RefusedPlugin,
  { file, positionOf }: { readonly file: string | undefined; readonly positionOf: PositionFinder },
): PortolanError {
  const position = positionOf(place);
  if (file === undefined || position === undefined) return error;
  // The same error, whose stack and cause say what in the plugin has failed.
  error.message += ` It is ${formatPlace(place)} at ${file}:${position.line}:${position.column}.`;
  return error;
}

/**
 * Whether a problem may be none once the plugins that are missing are there: a
 * key or a mode that one of them may bring. A slip in a name that is known stays.
 */
export function mayComeFromPlugin({ place, expected, didYouMean }: ConfigProblem): boolean {
  if (didYouMean !== undefined) return false;
  return place === 'auth.mode' || /^auth\.[^.[]+$/.test(place) || expected.includes(FURTHER_KINDS);
}
