import { BUILD_LABEL, type BuildInput, type Labels } from '@portolan/plugin-api';
import { LABEL_PREFIX } from '@portolan/run-spec';
import { type StateFolder, stateIdOf } from '../../state/workload-labels.ts';

/** Labels of package images; trusted only on an image in Portolan's repository. */
export const BUILT_LABELS = {
  image: `${LABEL_PREFIX}image`,
  scheme: `${LABEL_PREFIX}package-scheme`,
  package: `${LABEL_PREFIX}package-name`,
  version: `${LABEL_PREFIX}package-version`,
  /** Hash of the build settings without version and base image. */
  options: `${LABEL_PREFIX}build-options`,
  /** Hash of the build settings without base image. */
  recipe: `${LABEL_PREFIX}build-recipe`,
  /** Id of the state folder for whose workloads the image was built. */
  builtFor: `${LABEL_PREFIX}built-for`,
} as const;

export function madeFor(directories: StateFolder): Labels {
  return { [BUILT_LABELS.builtFor]: stateIdOf(directories) };
}

/** Repository of all images that Portolan builds. */
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
 * Adds a label to every stage of a Dockerfile, so that its images and step containers carry it. A stage that
 * starts from an earlier stage inherits it.
 */
export function labelStages(dockerfile: string, buildId: string): string {
  const stages = new Set<string>();
  return dockerfile.replaceAll(/^FROM (\S+)(?: AS (\S+))?$/gim, (line, base: string, name?: string) => {
    const inherits = stages.has(base);
    if (name !== undefined) stages.add(name);
    return inherits ? line : `${line}\nLABEL ${BUILD_LABEL}=${buildId}`;
  });
}
