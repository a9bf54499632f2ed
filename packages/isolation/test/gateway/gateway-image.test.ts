import { expect } from 'chai';
import { extract } from 'tar-stream';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import {
  type BuildImageOptions,
  type ImageDescription,
  type ImportImageOptions,
  isPortolanError,
  type ContainerEngine,
} from '@portolan/plugin-api';
import { packGateway } from '../../src/gateway/gateway-archive.ts';
import {
  type MadeImages,
  NODE_BASE_IMAGE,
  planGatewayImage,
  provideGatewayImage,
} from '../../src/gateway/gateway-image.ts';
import { describeOwnNode, type OwnNode } from '../../src/gateway/own-node.ts';
import { memoryImages } from '../../../../test/support/memory-images.ts';
import { skipTest } from '../../../../test/support/skip-suite.ts';

const node: OwnNode = {
  platform: 'linux',
  architecture: 'amd64',
  identity: 'v24.0.0 1 2',
  binary: import.meta.filename,
  libraries: () => [],
};

/** A fake engine with these images that records its calls. */
class RecordingRuntime {
  readonly pulled: string[] = [];
  readonly imported: ImportImageOptions[] = [];
  readonly built: {
    readonly options: BuildImageOptions;
    readonly files: Readonly<Record<string, string>>;
  }[] = [];
  readonly images = new Set<string>();
  failure: Error | undefined;
  onBuild: readonly string[] = [];

  /** Returns the functions that the gateway image needs. Any other call throws. */
  get runtime(): ContainerEngine {
    // The code under test reads no other part of the image.
    const image = (reference: string): ImageDescription =>
      ({ id: `id of ${reference}`, onBuild: this.onBuild }) as ImageDescription;
    const calls: Partial<ContainerEngine> = {
      inspectImage: (reference) =>
        Promise.resolve(this.images.has(reference) ? image(reference.replace('id of ', '')) : undefined),
      provideImage: (reference) => {
        this.pulled.push(reference);
        return Promise.resolve(image(reference));
      },
      importImage: async (archive, options) => {
        if (this.failure !== undefined) throw this.failure;
        await readTar(archive);
        this.imported.push(options);
        return image(options.reference);
      },
      listImages: () => Promise.resolve([]),
      buildImage: async (context, options) => {
        this.built.push({ options, files: await readTar(context) });
        return image(options.reference);
      },
    };
    return calls as ContainerEngine;
  }
}

async function readTar(archive: AsyncIterable<Uint8Array>): Promise<Record<string, string>> {
  const files: Record<string, string> = {};
  const unpacked = extract();
  Readable.from(archive)
    .once('error', (error) => unpacked.destroy(error))
    .pipe(unpacked);
  for await (const entry of unpacked) {
    files[entry.header.name] = (await buffer(entry)).toString('latin1');
  }
  return files;
}

describe('provideGatewayImage', () => {
  let madeImages: MadeImages;

  beforeEach(() => {
    madeImages = memoryImages();
  });

  it('imports the Node.js binary of this process when the engine has its platform', async () => {
    const asked = new RecordingRuntime();
    const engine = { os: 'linux', architecture: 'amd64' };
    const image = await provideGatewayImage({ runtime: asked.runtime, madeImages, engine, node });
    expect(asked.imported.map(({ reference }) => `id of ${reference}`)).to.deep.equal([image.reference]);
    expect(asked.pulled).to.deep.equal([]);
    expect(image.command.at(-1)).to.equal('/run/portolan');
  });

  it('does nothing when the engine has the image', async () => {
    const asked = new RecordingRuntime();
    const engine = { os: 'linux', architecture: 'amd64' };
    const { reference } = await provideGatewayImage({ runtime: asked.runtime, madeImages, engine, node });
    asked.images.add(reference);
    asked.imported.length = 0;
    await provideGatewayImage({ runtime: asked.runtime, madeImages, engine, node });
    expect(asked.imported).to.deep.equal([]);
  });

  it('creates the image again when another image has its tag', async () => {
    const asked = new RecordingRuntime();
    const engine = { os: 'linux', architecture: 'amd64' };
    const { image } = await planGatewayImage({ engine, node, madeImages });
    asked.images.add(image.reference);
    await provideGatewayImage({ runtime: asked.runtime, madeImages, engine, node });
    expect(asked.imported.map(({ reference }) => reference)).to.deep.equal([image.reference]);
  });

  const foreign: readonly (readonly [string, Partial<OwnNode>, string | undefined, string])[] = [
    ["Node's official image for another processor", { architecture: 'arm64' }, undefined, NODE_BASE_IMAGE],
    ["Node's official image for another system", { platform: 'darwin' }, undefined, NODE_BASE_IMAGE],
    ['the image that is named', {}, 'acme.example/node:24', 'acme.example/node:24'],
  ];
  it('rejects a base image with ONBUILD instructions', async () => {
    const asked = new RecordingRuntime();
    asked.onBuild = ['RUN sh /hog.sh'];
    const engine = { os: 'linux', architecture: 'amd64' };
    const failed: unknown = await provideGatewayImage({
      madeImages,
      runtime: asked.runtime,
      engine,
      node,
      base: 'acme.example/node:24',
    }).catch((fault: unknown) => fault);
    expect(failed).to.deep.include({ code: 'ERR_GATEWAY' });
    expect(failed).to.have.property('message').that.includes('ONBUILD');
    expect(asked.built).to.deep.equal([]);
  });

  for (const [title, change, base, expected] of foreign) {
    it(`adds the programs to ${title}`, async () => {
      const asked = new RecordingRuntime();
      const engine = { os: 'linux', architecture: 'amd64' };
      const { reference } = await provideGatewayImage({
        madeImages,
        runtime: asked.runtime,
        engine,
        node: { ...node, ...change },
        base,
      });
      expect(asked.pulled).to.deep.equal([expected]);
      const [{ options, files } = expect.fail('nothing was built')] = asked.built;
      expect(`id of ${options.reference}`).to.equal(reference);
      const label = `LABEL portolan.dev/build=${options.buildId}`;
      expect(files['Dockerfile']).to.equal(`FROM ${expected}\n${label}\nCOPY programs/ /portolan/\n`);
      expect(files).to.have.all.keys('Dockerfile', 'programs/relay.mjs', 'programs/socket-bridge.mjs');
    });
  }

  it('pins the official image by its digest', () => {
    expect(NODE_BASE_IMAGE).to.match(/^docker\.io\/library\/node:[\w.-]+@sha256:[0-9a-f]{64}$/);
  });

  it('uses another tag for another Node.js', async () => {
    const asked = new RecordingRuntime();
    const engine = { os: 'linux', architecture: 'amd64' };
    const other = { ...node, identity: 'v26.0.0 1 2' };
    const [one, two] = await Promise.all(
      [node, other].map((own) =>
        provideGatewayImage({ runtime: asked.runtime, madeImages, engine, node: own }),
      ),
    );
    expect(one?.reference).to.not.equal(two?.reference);
  });

  it('gives a hint when the image cannot be created', async () => {
    const asked = new RecordingRuntime();
    asked.failure = new Error('no space left on device');
    const engine = { os: 'linux', architecture: 'amd64' };
    const error = await provideGatewayImage({ runtime: asked.runtime, madeImages, engine, node }).then(
      () => undefined,
      (failure: unknown) => failure,
    );
    expect(isPortolanError(error) && [error.code, error.message]).to.deep.equal([
      'ERR_GATEWAY',
      'Cannot make the image of the gateway from the Node.js that runs this command: no space left on device.',
    ]);
  });
});

describe('packGateway', () => {
  it('contains the binary, its libraries in their folders, and the programs', async () => {
    const files = await readTar(
      packGateway({ ...node, libraries: () => [import.meta.filename] }, { '/portolan/relay.mjs': 'relay' }),
    );
    expect(files['portolan/relay.mjs']).to.equal('relay');
    expect(files['bin/node']).to.include("it('holds the binary");
    expect(files[import.meta.filename.slice(1)]).to.equal(files['bin/node']);
    expect(files).to.include.keys('bin/', 'portolan/').and.not.to.have.any.keys('run/', 'run/portolan/');
  });

  it('throws for an unreadable file', async () => {
    const packed = packGateway({ ...node, binary: '/nowhere/node' }, {});
    const error = await readTar(packed).then(
      () => undefined,
      (failure: unknown) => failure,
    );
    expect(String(error)).to.include('ENOENT');
  });
});

describe('describeOwnNode', () => {
  it('lists the libraries of this Node.js that are files', async function () {
    if (process.platform !== 'linux') skipTest(this, 'only on Linux');
    const own = await describeOwnNode();
    expect(own.binary).to.equal(process.execPath);
    expect(own.libraries().filter((file) => !file.startsWith('/') || file === own.binary)).to.deep.equal([]);
    expect(own.libraries().some((file) => /ld-|musl/.test(file))).to.equal(true);
  });
});
