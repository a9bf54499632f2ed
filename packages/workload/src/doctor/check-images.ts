import type { Runtime } from '@portolan/plugin-api';
import { listOldGatewayImages } from '@portolan/isolation';
import type { ListedImage } from '../build/list-built-images.ts';
import { listBuiltImages } from '../build/list-built-images.ts';
import type { WorkloadContext } from '../workload-context.ts';
import type { Finding } from './finding.ts';

const MEGABYTE = 1_000_000;

/**
 * Images that were built of packages and that no workload is run from: the
 * cache of builds, so that a repair makes the next run of such a package
 * slower; and images of gateways that no new gateway is made from. What a
 * container of somebody else is made from, the engine does not remove.
 */
export async function checkImages(
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const runtime = await context.kinds.openRuntime();
  const [unused, gateways] = await Promise.all([
    unusedImages(runtime, context, signal),
    listOldGatewayImages(runtime, context.user.gatewayImage, signal),
  ]);
  const findings = [
    ...unused.map((image) => removable('workload', [nameOf(image)], image, runtime)),
    ...gateways.map((image) => removable('new gateway', [], image, runtime)),
  ];
  if (findings.length > 0) return findings;
  return [{ check: 'images', level: 'fine', found: 'Every image that was made here is in use.' }];
}

async function unusedImages(
  runtime: Runtime,
  { store }: WorkloadContext,
  signal: AbortSignal,
): Promise<readonly ListedImage[]> {
  const [images, workloads] = await Promise.all([listBuiltImages(runtime, signal), store.list()]);
  const used = new Set(workloads.flatMap(({ config }) => config?.image ?? []));
  // What a damaged run config names is not known: then nothing counts as unused.
  const isKnown = workloads.every(({ config }) => config !== undefined);
  return isKnown ? images.filter(({ reference }) => !used.has(reference)) : [];
}

function removable(
  user: string,
  facts: readonly string[],
  { reference, sizeBytes }: { readonly reference: string; readonly sizeBytes: number },
  runtime: Runtime,
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
