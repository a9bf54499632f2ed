import { randomBytes } from 'node:crypto';
import type { BuildPlan, ContainerEngine } from '@portolan/plugin-api';
import { expect } from 'chai';
import { packContext } from '../../packages/workload/src/build/context/pack-context.ts';

/**
 * A base image for the packages of one suite: the files of `from`, with a label that all images built on it
 * inherit. The label makes a new build necessary and finds the images. The caller has to remove it.
 */
export class OwnBaseImage {
  readonly reference: string;
  readonly #runtime: ContainerEngine;
  readonly #labels: Readonly<Record<string, string>>;

  private constructor(runtime: ContainerEngine, run: string) {
    this.#runtime = runtime;
    this.reference = `portolan-test-base/${run}`;
    this.#labels = { 'portolan.dev/test': run };
  }

  /** Builds a base image of the files of `from`, and of further `lines` of its Dockerfile. */
  static async make(
    runtime: ContainerEngine,
    from = 'portolan-test/node',
    lines = '',
  ): Promise<OwnBaseImage> {
    const base = new OwnBaseImage(runtime, randomBytes(6).toString('hex'));
    const plan: BuildPlan = {
      dockerfile: `FROM ${from}\n${lines}`,
      baseImages: [],
      buildArguments: {},
      files: [],
    };
    await runtime.buildImage(packContext(plan, []), {
      reference: base.reference,
      dockerfile: 'Dockerfile.portolan',
      labels: base.#labels,
    });
    return base;
  }

  /** Removes the image and all images built on it. Throws if a build has left images without a name. */
  async remove(): Promise<void> {
    const images = await this.#runtime.listImages(this.#labels);
    const named = images.flatMap(({ references }) => references);
    const isBase = (reference: string): boolean => reference.startsWith(this.reference);
    for (const one of named.toSorted((a, b) => Number(isBase(a)) - Number(isBase(b)))) {
      await this.#runtime.removeImage(one);
    }
    const unnamed = images.filter(({ references }) => references.length === 0).map(({ id }) => id);
    expect(unnamed, 'images without a name').to.deep.equal([]);
  }
}
