import { createHash, randomUUID } from 'node:crypto';
import path from 'node:path';
import {
  BUILD_LABEL,
  type ContainerEngine,
  type EngineDescription,
  type ImageDescription,
  type ImageProgress,
  type Labels,
} from '@portolan/plugin-api';
import { readBridgeProgram, readRelayProgram } from '../relay/relay-program.ts';
import { packGateway } from './gateway-archive.ts';
import { gatewayImageFailed } from './gateway-errors.ts';
import {
  BRIDGE_FILE,
  GATEWAY_REPOSITORY,
  PROGRAM_FOLDER,
  RELAY_FILE,
  SOCKET_FOLDER,
} from './gateway-layout.ts';
import { describeOwnNode, type OwnNode } from './own-node.ts';

export interface GatewayImageOptions {
  readonly runtime: ContainerEngine;
  readonly engine: Pick<EngineDescription, 'os' | 'architecture'>;
  /** Image with Node: `--gateway-image` or the setting `gateway.image`. */
  readonly base?: string | undefined;
  /** Default: the Node of this process. */
  readonly node?: OwnNode;
  readonly imageLabels?: Labels | undefined;
  /**
   * Ids of the gateway images that Portolan built. If the tag points to another id, the image is built again.
   */
  readonly madeImages: MadeImages;
  readonly onProgress?: (progress: ImageProgress) => void;
  readonly signal?: AbortSignal | undefined;
}

export interface MadeImages {
  /**
   * Part of each image tag, so that installations with different state folders never replace each other's
   * images.
   */
  readonly stateId: string;
  find(tag: string): Promise<string | undefined>;
  keep(tag: string, id: string): Promise<void>;
  /** Runs `action` while no other process builds the same image. */
  alone<Result>(tag: string, action: () => Promise<Result>, signal: AbortSignal | undefined): Promise<Result>;
}

export interface GatewayImage {
  readonly reference: string;
  /** Command of a gateway with its sockets in a local folder. */
  readonly command: readonly string[];
  /** Command of a gateway with its sockets over standard streams. */
  readonly channelCommand: readonly string[];
}

/**
 * Official Node image, for engines whose platform differs from that of this process. All gateways share its
 * layers.
 */
export const NODE_BASE_IMAGE =
  'docker.io/library/node:24-alpine@sha256:d32cdf619f63fe0471182d08996dd516c6275bb5fd31ae06e55a570bd9e1ad43';

/**
 * Provides the gateway's image. On Linux with the engine's platform, it is built from the Node of this process, without a download;
 * otherwise the relay is copied into a base, which is pulled when missing. The tag is a hash of the content.
 * Throws ERR_GATEWAY.
 */
export async function provideGatewayImage(options: GatewayImageOptions): Promise<GatewayImage> {
  const { runtime, signal } = options;
  const { image, isOurs, from, node, programs } = await planGatewayImage(options);
  const { reference } = image;
  const { madeImages } = options;
  const findMade = async (): Promise<GatewayImage | undefined> => {
    const id = await madeImages.find(reference);
    const made = id === undefined ? undefined : await runtime.inspectImage(id, signal);
    return made && { ...image, reference: made.id };
  };
  const make = async (): Promise<GatewayImage> => {
    const other = await findMade();
    if (other !== undefined) return other;
    try {
      const { id } = await (isOurs
        ? importOwn(options, reference, node, programs)
        : buildOn(options, reference, from, programs));
      await madeImages.keep(reference, id);
      return { ...image, reference: id };
    } catch (error) {
      if (signal?.aborted === true) throw signal.reason;
      throw gatewayImageFailed(from, isOurs, error);
    }
  };
  return (await findMade()) ?? (await madeImages.alone(reference, make, signal));
}

interface GatewayImagePlan {
  readonly image: GatewayImage;
  readonly isOurs: boolean;
  readonly from: string;
  readonly node: OwnNode;
  readonly programs: Programs;
}

/** Returns the image of `provideGatewayImage` without contacting the engine. */
export async function planGatewayImage({
  engine,
  base,
  node: ownNode,
  madeImages: { stateId },
}: Pick<GatewayImageOptions, 'engine' | 'base' | 'node'> & {
  readonly madeImages: Pick<MadeImages, 'stateId'>;
}): Promise<GatewayImagePlan> {
  const [node, relay, bridge] = await Promise.all([
    ownNode ?? describeOwnNode(),
    readRelayProgram(),
    readBridgeProgram(),
  ]);
  const programs = { [RELAY_FILE]: relay.source, [BRIDGE_FILE]: bridge };
  const isOurs = base === undefined && fits(node, engine);
  const from = isOurs ? node.identity : (base ?? NODE_BASE_IMAGE);
  const platform = `${engine.os}/${engine.architecture}`;
  const hash = createHash('sha256')
    .update(JSON.stringify([LAYOUT, platform, from, programs, stateId]))
    .digest('hex');
  const image: GatewayImage = {
    reference: `${GATEWAY_REPOSITORY}:${hash.slice(0, 16)}`,
    command: ['node', ...relay.nodeArguments, RELAY_FILE, SOCKET_FOLDER],
    channelCommand: ['node', ...relay.nodeArguments, '--import', BRIDGE_FILE, RELAY_FILE, SOCKET_FOLDER],
  };
  return { image, isOurs, from, node, programs };
}

/** Version of the layout. Increase it when the content changes other than by the relay. */
const LAYOUT = 2;

export const GATEWAY_IMAGE_LABELS: Readonly<Record<string, string>> = { 'portolan.dev/image': 'gateway' };

function fits(node: OwnNode, engine: Pick<EngineDescription, 'os' | 'architecture'>): boolean {
  return node.platform === 'linux' && engine.os === 'linux' && node.architecture === engine.architecture;
}

type Programs = Readonly<Record<string, string>>;

async function importOwn(
  { runtime, signal, imageLabels }: GatewayImageOptions,
  reference: string,
  node: OwnNode,
  programs: Programs,
): Promise<ImageDescription> {
  let unreadable: unknown;
  async function* archive(): AsyncGenerator<Uint8Array> {
    try {
      yield* packGateway(node, programs);
    } catch (error) {
      unreadable = error; // the engine only reports a truncated archive
      throw error;
    }
  }
  let made: ImageDescription;
  try {
    made = await runtime.importImage(archive(), {
      reference,
      environment: { PATH: '/bin' },
      labels: { ...imageLabels, ...GATEWAY_IMAGE_LABELS },
      ...(signal === undefined ? {} : { signal }),
    });
  } catch (error) {
    throw unreadable ?? error;
  }
  await removeUntagged(runtime, signal);
  return made;
}

/**
 * Removes untagged gateway images. When two processes import the same tag, the first image loses its tag and
 * is unused.
 */
async function removeUntagged(runtime: ContainerEngine, signal: AbortSignal | undefined): Promise<void> {
  for (const { id, references } of await runtime.listImages(GATEWAY_IMAGE_LABELS, signal)) {
    if (references.length > 0) continue;
    try {
      await runtime.removeImage(id, signal);
    } catch (error) {
      if (signal?.aborted === true) throw error;
      // Ignore the error: the engine keeps an image that a running gateway uses. It costs little, because its
      // single layer is shared.
    }
  }
}

async function buildOn(
  { runtime, signal, onProgress, imageLabels }: GatewayImageOptions,
  reference: string,
  base: string,
  programs: Programs,
): Promise<ImageDescription> {
  const more = {
    ...(signal === undefined ? {} : { signal }),
    ...(onProgress === undefined ? {} : { onProgress }),
  };
  const { onBuild } = await runtime.provideImage(base, { pull: 'missing', ...more });
  if (onBuild.length > 0)
    throw new TypeError('it has ONBUILD instructions, which a gateway image must not have');
  const { pack: createPack } = await import('tar-stream');
  const context = createPack();
  const buildId = randomUUID();
  const lines = [`FROM ${base}`, `LABEL ${BUILD_LABEL}=${buildId}`, `COPY programs/ ${PROGRAM_FOLDER}/`, ''];
  context.entry({ name: 'Dockerfile' }, lines.join('\n'));
  for (const [file, text] of Object.entries(programs)) {
    context.entry({ name: `programs/${path.posix.basename(file)}`, mode: 0o644 }, text);
  }
  context.finalize();
  return await runtime.buildImage(context as AsyncIterable<Uint8Array>, {
    reference,
    dockerfile: 'Dockerfile',
    buildId,
    labels: { ...imageLabels, ...GATEWAY_IMAGE_LABELS },
    ...more,
  });
}
