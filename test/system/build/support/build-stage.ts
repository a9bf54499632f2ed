import path from 'node:path';
import type { BuildPlan, ImageDescription, SchemeKind } from '@portolan/plugin-api';
import { createTestContext, runtimeOfEngine } from '@portolan/plugin-testing';
import {
  type BuildContext,
  type BuildOptions,
  type BuildRequest,
  type BuiltImage,
  directoriesOf,
} from '@portolan/workload';
import { provideBuiltImage } from '@portolan/workload/build';
import { NO_USER_SETTINGS, parsePackage } from '@portolan/run-spec';
import { expect } from 'chai';
import { goScheme } from '../../../../plugins/scheme-go/src/index.ts';
import { npxScheme } from '../../../../plugins/scheme-npx/src/index.ts';
import { uvxScheme } from '../../../../plugins/scheme-uvx/src/index.ts';
import { packContext } from '../../../../packages/workload/src/build/context/pack-context.ts';
import { TestRuntime } from '../../isolation/support/test-runtime.ts';
import { skipSuite } from '../../../support/skip-suite.ts';
import { LocalIndexes } from './local-indexes.ts';

const SCHEMES: readonly SchemeKind[] = [npxScheme, uvxScheme, goScheme];
const RUN_LABEL = 'portolan.dev/test-build';

/**
 * A real engine, local indexes and a user with empty folders. New base images have a label that all images
 * built on them inherit. At the end, the label counts the images.
 */
export class BuildStage {
  readonly engine = new TestRuntime();
  readonly #bases = new Map<string, string>();
  #indexes: LocalIndexes | undefined;
  #home = '';

  get indexes(): LocalIndexes {
    if (this.#indexes === undefined) throw new Error('the stage is not open');
    return this.#indexes;
  }

  /** Home folder of the user, which is also the working directory. */
  get home(): string {
    return this.#home;
  }

  get labels(): Readonly<Record<string, string>> {
    return { [RUN_LABEL]: this.engine.run };
  }

  /** `images` are names below portolan-test. Without one of them, the suite is skipped. */
  async open(context: Mocha.Context, images: readonly string[]): Promise<void> {
    await this.engine.open(context);
    this.#home = await this.engine.folder();
    for (const image of images) {
      const from = `portolan-test/${image}`;
      if ((await this.engine.runtime.inspectImage(from)) === undefined) {
        skipSuite(context, `no image ${from}; scripts/container-env.sh up ${image} makes it`);
      }
      await this.#makeBase(from, image);
    }
    this.#indexes = await LocalIndexes.open(this.#home);
  }

  /** Removes the built images, and expects that nothing else was left. */
  async close(): Promise<void> {
    await this.#indexes?.close();
    const bases = [...this.#bases.values()];
    const named: string[] = [];
    if (bases.length > 0) {
      for (const { id, references } of await this.images()) {
        if (references.length === 0) named.push(id);
        for (const one of references) if (!bases.includes(one)) await this.engine.runtime.removeImage(one);
      }
      for (const base of bases) await this.engine.runtime.removeImage(base);
    }
    await this.engine.close();
    expect(named, 'images without a name').to.deep.equal([]);
  }

  base(image: string): string {
    const base = this.#bases.get(image);
    if (base === undefined) throw new Error(`the stage has no base ${image}`);
    return base;
  }

  /**
   * Returns all images made in this stage, including the bases. An image from scratch has only the labels of
   * the run.
   */
  async images(): Promise<readonly ImageDescription[]> {
    const { runtime, labels } = this.engine;
    const found = [...(await runtime.listImages(this.labels)), ...(await runtime.listImages(labels))];
    return [...new Map(found.map((image) => [image.id, image])).values()];
  }

  /** Returns the tags of the built images. */
  async built(): Promise<readonly string[]> {
    const bases = [...this.#bases.values()];
    const all = (await this.images()).flatMap(({ id, references }) =>
      references.length === 0 ? [id] : references,
    );
    return all.filter((one) => !bases.includes(one)).toSorted();
  }

  context(change: Partial<BuildContext> = {}): BuildContext {
    const { runtime, logger } = this.engine;
    const plugin = createTestContext({ logger });
    const environment = { XDG_RUNTIME_DIR: this.#home, ...this.indexes.environment };
    return {
      clock: () => new Date(),
      directories: directoriesOf({
        platform: 'linux',
        environment,
        home: this.#home,
        temporary: this.#home,
        userId: undefined,
      }),
      environment,
      home: this.#home,
      workingDirectory: this.#home,
      logger,
      user: NO_USER_SETTINGS,
      kinds: {
        schemes: new Map(SCHEMES.map(({ kind, packages }) => [kind, packages])),
        transports: new Map(),
        secretStores: [],
        openRuntime: async () => runtimeOfEngine(runtime),
        openScheme: async (name) => {
          const kind = SCHEMES.find((one) => one.kind === name);
          if (kind === undefined) throw new Error(`no scheme ${name}`);
          return await kind.create({}, plugin);
        },
        openTransport: notHere,
        openSecretStore: notHere,
        checkProxyMiddleware: notHere,
        checkOutgoingCredentials: notHere,
        openOutgoingCredentials: notHere,
        checkSessionStore: notHere,
        openSessionStore: notHere,
        checkToolIndex: notHere,
        openToolIndex: notHere,
        openProxyMiddleware: notHere,
        checkAuthProvider: notHere,
        checkAuthProviderOnline: notHere,
        openAuthProvider: notHere,
      },
      ...change,
    };
  }

  request(target: string, image: string, change: Partial<BuildRequest> = {}): BuildRequest {
    const [scheme = '', text = ''] = target.split('://');
    const kind = SCHEMES.find((one) => one.kind === scheme);
    if (kind === undefined) throw new Error(`no scheme ${scheme}`);
    return {
      scheme,
      reference: parsePackage(text, kind.packages),
      runtimeConfig: {
        builder_image: this.base(image),
        additional_packages: [],
        build_with: [],
        runtime_env: {},
      },
      caCert: this.indexes.certificate,
      ...change,
    };
  }

  async provide(
    request: BuildRequest,
    context = this.context(),
    options: BuildOptions = {},
  ): Promise<BuiltImage> {
    return await provideBuiltImage(request, context, { labels: this.engine.labels, ...options });
  }

  async #makeBase(from: string, image: string): Promise<void> {
    const reference = `portolan-test-build/${image}:${this.engine.run}`;
    const plan: BuildPlan = { dockerfile: `FROM ${from}\n`, baseImages: [], buildArguments: {}, files: [] };
    await this.engine.runtime.buildImage(packContext(plan, []), {
      reference,
      dockerfile: 'Dockerfile.portolan',
      labels: this.labels,
    });
    this.#bases.set(image, reference);
  }

  /** Makes a folder in the user's home. */
  path(...parts: readonly string[]): string {
    return path.join(this.#home, ...parts);
  }
}

async function notHere(): Promise<never> {
  throw new Error('builds need none');
}
