import type { ContainerEngine, Labels } from '@portolan/plugin-api';
import { GATEWAY_IMAGE_LABELS, planGatewayImage } from './gateway-image.ts';
import { GATEWAY_REPOSITORY } from './gateway-layout.ts';

export interface OldGatewayImage {
  readonly reference: string;
  readonly id: string;
  readonly labels: Labels;
  readonly sizeBytes: number;
}

/** Lists gateway images of other versions or settings, which running gateways may use. */
export async function listOldGatewayImages(
  runtime: Pick<ContainerEngine, 'describe' | 'listImages'>,
  { base, stateId }: { readonly base: string | undefined; readonly stateId: string },
  signal?: AbortSignal,
): Promise<readonly OldGatewayImage[]> {
  const [engine, images] = await Promise.all([
    runtime.describe(signal),
    runtime.listImages(GATEWAY_IMAGE_LABELS, signal),
  ]);
  if (images.length === 0) return [];
  const { image: current } = await planGatewayImage({ engine, base, madeImages: { stateId } });
  return images.flatMap(({ id, references, labels, sizeBytes }) => {
    const ours = references.map(withoutHost).filter(isOurs);
    return ours
      .filter((one) => one !== current.reference)
      .map((reference) => ({ reference, id, labels, sizeBytes }));
  });
}

/**
 * Returns whether an image has one of Portolan's names. Labels are not sufficient, because any image could
 * have them.
 */
function isOurs(reference: string): boolean {
  return reference.startsWith(`${GATEWAY_REPOSITORY}:`);
}

/** Podman prefixes its own host to local images. */
function withoutHost(reference: string): string {
  return reference.replace(/^localhost\//, '');
}
