import type { BuildPlan, ContainerEngine } from '@portolan/plugin-api';
import { DOCKERFILE, packContext } from '../context/pack-context.ts';

/** Of an engine what naming needs. */
export type BuildEngine = Pick<ContainerEngine, 'buildImage'>;

/** Gives an image one more name. A build of nothing but its base is that base, on every engine. */
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
