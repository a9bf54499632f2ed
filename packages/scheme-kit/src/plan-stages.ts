import type { BuildFolder, BuildPlan } from '@portolan/plugin-api';
import { execLine } from './dockerfile-lines.ts';
import type { SystemStage } from './system-stage.ts';
import { IMAGE_USER } from './user-entries.ts';

/** What is special to an image between the stage `system` and what is started. */
export interface ImageStages {
  /** Lines of the stage `build`, which is made from `system`. */
  readonly build: readonly string[];
  /** Lines of the image itself, its `FROM` first. */
  readonly image: readonly string[];
  /** What is started, and its arguments; no shell reads them. */
  readonly entry: readonly string[];
  /** A folder of this machine that goes along. */
  readonly folder?: BuildFolder | undefined;
}

/** The plan of an image in stages; it is started in `/app`, as a user without rights. */
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
