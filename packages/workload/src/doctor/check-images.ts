import type { ContainerEngine } from '@portolan/plugin-api';
import { listOldGatewayImages } from '@portolan/isolation';
import type { ListedImage } from '../build/list-built-images.ts';
import { listBuiltImages } from '../build/list-built-images.ts';
import { stateIdOf } from '../state/workload-labels.ts';
import type { WorkloadContext } from '../workload-context.ts';
import type { Finding } from './finding.ts';

const MEGABYTE = 1_000_000;

/**
 * Images that were built of packages and that no workload is run from: the
 * cache of builds, so that a repair makes the next run of such a package
 * slower; and images of gateways that no new gateway is made from. What was
 * built for another state folder, and what any container of the engine is made
 * from, is in use.
 */
export async function checkImages(
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const opened = await context.kinds.openRuntime();
  if (opened.runs === 'workloads') {
    return [{ check: 'images', level: 'fine', found: 'No image is kept here: the runtime fetches its own.' }];
  }
  const runtime = opened.engine;
  const [unused, gateways, containers] = await Promise.all([
    unusedImages(runtime, context, signal),
    listOldGatewayImages(runtime, context.user.gatewayImage, signal),
    // Of everybody: another user's workloads are on the same engine.
    runtime.listContainers({}, signal),
  ]);
  const running = new Set(containers.flatMap(({ image, imageId }) => [image, imageId]));
  const isFree = ({ reference, id }: { readonly reference: string; readonly id: string }): boolean =>
    !running.has(reference) && !running.has(id);
  const findings = [
    ...unused.filter(isFree).map((image) => removable('workload', [nameOf(image)], image, runtime)),
    ...gateways.filter(isFree).map((image) => removable('new gateway', [], image, runtime)),
  ];
  if (findings.length > 0) return findings;
  return [{ check: 'images', level: 'fine', found: 'Every image that was made here is in use.' }];
}

async function unusedImages(
  runtime: ContainerEngine,
  { store, directories }: WorkloadContext,
  signal: AbortSignal,
): Promise<readonly ListedImage[]> {
  const [images, workloads] = await Promise.all([listBuiltImages(runtime, signal), store.list()]);
  const used = new Set(workloads.flatMap(({ config }) => config?.image ?? []));
  // What a damaged run config names is not known: then nothing counts as unused.
  const isKnown = workloads.every(({ config }) => config !== undefined);
  if (!isKnown) return [];
  const own = stateIdOf(directories);
  return images.filter(
    ({ reference, builtFor }) => !used.has(reference) && (builtFor === '' || builtFor === own),
  );
}

function removable(
  user: string,
  facts: readonly string[],
  { reference, sizeBytes }: { readonly reference: string; readonly sizeBytes: number },
  runtime: ContainerEngine,
): Finding {
  return {
    check: 'images',
    level: 'notice',
    found: `No ${user} uses ${reference} (${[...facts, `${Math.round(sizeBytes / MEGABYTE)} MB`].join(', ')}).`,
    repair: (end) => runtime.removeImage(reference, end),
  };
}

function nameOf({ scheme, package: name, version }: ListedImage): string {
  return `${scheme}://${name}${version === '' ? '' : `@${version}`}`;
}
