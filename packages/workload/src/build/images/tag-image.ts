import type { BuildPlan, ContainerEngine } from '@portolan/plugin-api';
import { DOCKERFILE, packContext } from '../context/pack-context.ts';

export type BuildEngine = Pick<ContainerEngine, 'buildImage'>;

/**
 * Adds a name to an image by building a Dockerfile with only `FROM`. On every engine the result is the base
 * image itself.
 */
export async function tagImage(
  runtime: BuildEngine,
  image: string,
  tag: string,
  signal?: AbortSignal,
): Promise<void> {
  const plan: BuildPlan = {
    dockerfile: `FROM ${image}\n`,
    baseImages: [image],
    buildArguments: {},
    files: [],
  };
  await runtime.buildImage(packContext(plan, []), {
    reference: tag,
    dockerfile: DOCKERFILE,
    ...(signal === undefined ? {} : { signal }),
  });
}
