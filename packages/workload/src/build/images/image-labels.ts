import { BUILD_LABEL, type BuildInput, type Labels } from '@portolan/plugin-api';
import { LABEL_PREFIX } from '@portolan/run-spec';
import { type StateFolder, stateIdOf } from '../../state/workload-labels.ts';

/** Labels of an image that was built of a package. Believed only of an image that has a name of ours. */
export const BUILT_LABELS = {
  image: `${LABEL_PREFIX}image`,
  scheme: `${LABEL_PREFIX}package-scheme`,
  package: `${LABEL_PREFIX}package-name`,
  version: `${LABEL_PREFIX}package-version`,
  /** A hash of everything but version and base image. */
  options: `${LABEL_PREFIX}build-options`,
  /** A hash of everything but the base image. */
  recipe: `${LABEL_PREFIX}build-recipe`,
  /** For the workloads of which state folder it was built. */
  builtFor: `${LABEL_PREFIX}built-for`,
} as const;

/** The label by which `doctor` knows what was made for the workloads of this state folder. */
export function madeFor(directories: StateFolder): Labels {
  return { [BUILT_LABELS.builtFor]: stateIdOf(directories) };
}

/** Where all images of ours are named. */
export const BUILT_REPOSITORY = 'portolanlocal/';

export interface BuildHashes {
  readonly options: string;
  readonly recipe: string;
}

export function builtLabels(scheme: string, { reference }: BuildInput, hashes: BuildHashes): Labels {
  const isIndexed = reference.from === 'index';
  return {
    [BUILT_LABELS.image]: 'package',
    [BUILT_LABELS.scheme]: scheme,
    [BUILT_LABELS.package]: isIndexed ? reference.name : reference.path,
    [BUILT_LABELS.version]: isIndexed ? (reference.version ?? '') : '',
    [BUILT_LABELS.options]: hashes.options,
    [BUILT_LABELS.recipe]: hashes.recipe,
  };
}

/**
 * Returns a Dockerfile whose images and step containers all carry the label of
 * one build. A stage that starts from an earlier stage inherits the label.
 */
export function labelStages(dockerfile: string, buildId: string): string {
  const stages = new Set<string>();
  return dockerfile.replaceAll(/^FROM (\S+)(?: AS (\S+))?$/gim, (line, base: string, name?: string) => {
    const inherits = stages.has(base);
    if (name !== undefined) stages.add(name);
    return inherits ? line : `${line}\nLABEL ${BUILD_LABEL}=${buildId}`;
  });
}
