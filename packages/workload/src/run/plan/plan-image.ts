import { isPortolanError, type WorkloadHost } from '@portolan/plugin-api';
import { formatPackage, textOf } from '@portolan/run-spec';
import type { WorkloadContext } from '../../workload-context.ts';
import type { PlannedBuild, PlannedImage } from '../run-plan.ts';
import type { ImageSource, PackageSource } from '../steps/image-source.ts';
import { describe, fetchedByHost, type ProvidedImage } from '../steps/provide-image.ts';

/** Planned image, with the facts about it on which other settings depend, such as the exposed ports. */
export interface ImagePlan {
  /** Image of the plan; undefined for a remote server. */
  readonly image: PlannedImage | undefined;
  readonly provided: Pick<ProvidedImage, 'reference' | 'digest' | 'exposedPorts' | 'package'> | undefined;
  readonly warnings: readonly string[];
}

/** Plans the image of a run. Returns a warning when the engine is unreachable. */
export async function planImage(
  source: ImageSource | undefined,
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<ImagePlan> {
  if (source === undefined) return { image: undefined, provided: undefined, warnings: [] };
  try {
    return source.form === 'image'
      ? await planPull(source.reference, context, signal)
      : await planBuild(source, context, signal);
  } catch (error) {
    signal.throwIfAborted();
    if (!isPortolanError(error) || error.code !== 'ERR_RUNTIME_UNREACHABLE') throw error;
    const reference = source.form === 'image' ? source.reference : undefined;
    return {
      image: { reference, digest: undefined, is: 'unknown', build: undefined },
      provided: { reference: reference ?? '', digest: '', exposedPorts: [], package: undefined },
      warnings: [`The engine could not be queried for the image: ${textOf(error)}.`],
    };
  }
}

async function planPull(
  reference: string,
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<ImagePlan> {
  const opened = await context.kinds.openRuntime();
  if (opened.runs === 'workloads') return await planFetch(reference, opened.host, signal);
  const runtime = opened.engine;
  const here = await runtime.inspectImage(reference, signal);
  if (here === undefined) {
    return {
      image: { reference, digest: undefined, is: 'to be pulled', build: undefined },
      provided: { reference, digest: '', exposedPorts: [], package: undefined },
      warnings: [],
    };
  }
  const described = describe(reference, here);
  return {
    image: { reference, digest: described.digest, is: 'present', build: undefined },
    provided: { ...described, package: undefined },
    warnings: [],
  };
}

async function planFetch(reference: string, host: WorkloadHost, signal: AbortSignal): Promise<ImagePlan> {
  const { name } = await host.describe(signal);
  return {
    image: { reference, digest: undefined, is: 'unknown', build: undefined },
    provided: fetchedByHost(reference, undefined),
    warnings: [
      `${name} fetches the image itself. Whether it can, and which ports the image exposes, is unknown.`,
    ],
  };
}

async function planBuild(
  source: PackageSource,
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<ImagePlan> {
  const { describeBuild } = await import('../../build/describe-build.ts');
  const { scheme, reference, runtime: runtimeConfig, caCert } = source;
  const request = { scheme, reference, runtimeConfig, caCert: caCert === '' ? undefined : caCert };
  const described = await describeBuild(request, context, { signal });
  const { tag, package: settled, cached, notes } = described;
  const build: PlannedBuild = {
    package: `${scheme}://${formatPackage(settled)}`,
    base_images: described.baseImages,
    hosts: [...described.hosts.map(({ host, port }) => `${host}:${port}`), ...described.allowedHosts],
    cached,
    dockerfile: described.dockerfile,
  };
  return {
    image: { reference: tag, digest: undefined, is: cached ? 'present' : 'to be built', build },
    provided: { reference: tag ?? '', digest: '', exposedPorts: [], package: settled },
    warnings: notes,
  };
}
