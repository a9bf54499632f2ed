import type { BuildFolder, BuildPlan } from '@portolan/plugin-api';
import { execLine } from './dockerfile-lines.ts';
import type { SystemStage } from './system-stage.ts';
import { IMAGE_USER } from './user-entries.ts';

export interface ImageStages {
  /** Stage that builds the program. It is based on the stage `system`. */
  readonly build: readonly string[];
  /** Lines of the final image, beginning with `FROM`. */
  readonly image: readonly string[];
  /** Entry point with arguments, without a shell. */
  readonly entry: readonly string[];
  /** A local folder that is part of the context. */
  readonly folder?: BuildFolder | undefined;
}

/** Combines the stages of a Dockerfile. The image starts in `/app` as an unprivileged user. */
export function planStages(system: SystemStage, { build, image, entry, folder }: ImageStages): BuildPlan {
  const lines = [
    ...system.lines,
    '',
    'FROM system AS build',
    ...build,
    '',
    ...image,
    'WORKDIR /app',
    `USER ${IMAGE_USER}`,
    execLine('ENTRYPOINT', entry),
    '',
  ];
  return {
    dockerfile: lines.join('\n'),
    baseImages: [system.baseImage],
    buildArguments: {},
    files: system.files,
    ...(folder === undefined ? {} : { folder }),
  };
}
