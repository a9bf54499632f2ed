import type { ListedImage } from '../build/list-built-images.ts';
import { listBuiltImages } from '../build/list-built-images.ts';
import type { WorkloadContext } from '../workload-context.ts';
import type { Finding } from './finding.ts';

const MEGABYTE = 1_000_000;

/**
 * Images that were built of packages and that no workload is run from. They are
 * the cache of builds: a repair makes the next run of such a package slower.
 */
export async function checkImages(
  { kinds, store }: WorkloadContext,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const runtime = await kinds.openRuntime();
  const [images, workloads] = await Promise.all([listBuiltImages(runtime, signal), store.list()]);
  const used = new Set(workloads.flatMap(({ config }) => config?.image ?? []));
  // What a damaged run config names is not known: then nothing counts as unused.
  const isKnown = workloads.every(({ config }) => config !== undefined);
  const unused = isKnown ? images.filter(({ reference }) => !used.has(reference)) : [];
  if (unused.length === 0) {
    return [{ check: 'images', level: 'fine', found: 'Every image that was built is in use.' }];
  }
  return unused.map((image) => ({
    check: 'images',
    level: 'notice',
    found: `No workload uses ${image.reference} (${nameOf(image)}, ${Math.round(image.sizeBytes / MEGABYTE)} MB).`,
    repair: (end) => runtime.removeImage(image.reference, end),
  }));
}

function nameOf({ scheme, package: name, version }: ListedImage): string {
  return `${scheme}://${name}${version === '' ? '' : `@${version}`}`;
}
