import type { ContainerEngine } from '@portolan/plugin-api';
import { listOldGatewayImages } from '@portolan/isolation';
import { type ListedImage, listBuiltImages } from '../build/images/list-built-images.ts';
import { BUILT_LABELS } from '../build/images/image-labels.ts';
import { useMarkOf } from '../build/images/use-marks.ts';
import { serverConfigsOf } from '../state/member-config.ts';
import { stateIdOf } from '../state/workload-labels.ts';
import type { WorkloadContext } from '../workload-context.ts';
import type { Finding } from './finding.ts';

const MEGABYTE = 1_000_000;

/**
 * Returns findings about unused package images and outdated gateway images. A repair removes an image only if
 * its label names this state folder and no other state folder uses it. For an image of another state folder,
 * the repair removes only the tag that marks this folder's use.
 */
export async function checkImages(
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const opened = await context.kinds.openRuntime();
  if (opened.runs === 'workloads') {
    return [
      {
        check: 'images',
        level: 'fine',
        found: 'There are no local images to check: this runtime fetches its images itself.',
      },
    ];
  }
  const runtime = opened.engine;
  const [unused, gateways, containers] = await Promise.all([
    unusedImages(runtime, context, signal),
    listOldGatewayImages(
      runtime,
      { base: context.user.gatewayImage, stateId: stateIdOf(context.directories) },
      signal,
    ),
    // List the containers of all users, because several users may share the engine.
    runtime.listContainers({}, signal),
  ]);
  const running = new Set(containers.flatMap(({ image, imageId }) => [image, imageId]));
  const free = [
    ...unused.map((image) => ({ ...image, user: 'workload', facts: [nameOf(image)] })),
    ...gateways.map((image) => ({
      ...image,
      ...GATEWAY,
      builtFor: image.labels[BUILT_LABELS.builtFor] ?? '',
    })),
  ].filter(({ reference, id }) => !running.has(reference) && !running.has(id));
  const own = stateIdOf(context.directories);
  const isOwn = ({ builtFor, usedBy }: Pick<ListedImage, 'builtFor' | 'usedBy'>): boolean =>
    builtFor === own && usedBy.every((user) => user === own);
  const findings = [
    ...free.filter(isOwn).map((image) => removable(image, runtime)),
    ...free.filter(({ usedBy }) => usedBy.includes(own)).map((image) => returnable(image, own, runtime)),
    ...leftAlone(free.filter(({ builtFor }) => builtFor === '')),
  ];
  if (findings.length > 0) return findings;
  return [{ check: 'images', level: 'fine', found: 'Every image that Portolan built is in use.' }];
}

const NOBODY: readonly string[] = [];
const GATEWAY = { user: 'new gateway', facts: NOBODY, usedBy: NOBODY };

interface FreeImage {
  readonly reference: string;
  readonly sizeBytes: number;
  readonly user: string;
  readonly facts: readonly string[];
}

async function unusedImages(
  runtime: ContainerEngine,
  { store }: WorkloadContext,
  signal: AbortSignal,
): Promise<readonly ListedImage[]> {
  const [images, workloads] = await Promise.all([listBuiltImages(runtime, signal), store.list()]);
  const used = new Set(
    workloads.flatMap(({ config }) =>
      config === undefined ? [] : serverConfigsOf(config).map(({ image }) => image),
    ),
  );
  // A damaged run config does not show which image its workload uses. Therefore no image counts as unused
  // then.
  const isKnown = workloads.every(({ config }) => config !== undefined);
  if (!isKnown) return [];
  return images.filter(({ reference }) => !used.has(reference));
}

function removable({ reference, sizeBytes, user, facts }: FreeImage, runtime: ContainerEngine): Finding {
  return {
    check: 'images',
    level: 'notice',
    found: `No ${user} uses ${reference} (${[...facts, megabytes(sizeBytes)].join(', ')}).`,
    repair: (end) => runtime.removeImage(reference, end),
  };
}

function returnable({ reference }: FreeImage, own: string, runtime: ContainerEngine): Finding {
  return {
    check: 'images',
    level: 'notice',
    found: `No workload of this state folder uses ${reference} any more, which was built for another one. A repair removes only the tag that marks the use.`,
    repair: (end) => runtime.removeImage(useMarkOf(reference, own), end),
  };
}

function leftAlone(images: readonly FreeImage[]): readonly Finding[] {
  if (images.length === 0) return [];
  const size = megabytes(images.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0));
  const names = images.map(({ reference }) => reference).join(', ');
  const found = `Not removed, because it is unknown for whom they were built (earlier versions did not record it): ${names} (${size}).`;
  return [{ check: 'images', level: 'fine', found }];
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / MEGABYTE)} MB`;
}

function nameOf({ scheme, package: name, version }: ListedImage): string {
  return `${scheme}://${name}${version === '' ? '' : `@${version}`}`;
}
