import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ContainerEngine, ImageDescription } from '@portolan/plugin-api';
import { createTestContext } from '@portolan/plugin-testing';
import { NO_USER_SETTINGS } from '@portolan/run-spec';
import { expect } from 'chai';
import { type ResolvedTarget, resolveTarget } from '../../src/run/steps/resolve-target.ts';
import { caught } from '../../../../test/support/caught.ts';
import {
  apiWith,
  type ScriptedRegistry,
  serverDocument,
  startScriptedRegistry,
} from '../../../../test/support/scripted-registry.ts';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';
import { testWorkloadContext } from '../support/test-workload-context.ts';

const folders = new TemporaryFolders();
const { signal } = new AbortController();

describe('resolveTarget', () => {
  afterEach(() => folders.removeAll());

  /**
   * Resolves a target with a catalogue of these servers and an engine with these images. Without `images`,
   * there is no engine.
   */
  async function resolve(
    text: string,
    names?: readonly string[],
    images?: readonly string[],
  ): Promise<ResolvedTarget> {
    const folder = await folders.make();
    const file = path.join(folder, 'catalogue.json');
    await writeFile(
      file,
      JSON.stringify({ data: { servers: (names ?? []).map((name) => serverDocument(name)) } }),
    );
    const user = { ...NO_USER_SETTINGS, ...(names === undefined ? {} : { localRegistryPath: file }) };
    return await resolveTarget(text, { ...testWorkloadContext(folder, engineWith(images)), user }, signal);
  }

  it('returns an image of the engine when no registry is set, or none has the name', async () => {
    for (const names of [undefined, ['dev.acme/notes']]) {
      const { target, doubt } = await resolve('practise', names, ['practise']);
      expect(target).to.deep.equal({ from: 'image', reference: 'practise' });
      expect(doubt).to.equal(undefined);
    }
  });

  it('warns when the name resembles that of a server', async () => {
    for (const text of ['practise', 'dev.acme/practise']) {
      const { target, doubt } = await resolve(text, ['dev.acme/practice'], [text]);
      expect(target.from).to.equal('image');
      expect(doubt)
        .to.include(`has no server named ${text}`)
        .and.to.include('did you mean dev.acme/practice?');
    }
  });

  it('rejects a name that neither a registry nor the engine has', async () => {
    for (const names of [undefined, ['dev.acme/notes']]) {
      for (const text of ['practise', 'acme/practise', 'dev.acme/practise']) {
        const error = await caught(() => resolve(text, names, ['other']));
        expect(error.code, text).to.equal('ERR_RUN_TARGET');
        expect(error.hint).to.include(`${text}:latest`);
      }
    }
    expect((await caught(() => resolve('practise', ['dev.acme/practice'], []))).hint).to.include(
      'Did you mean dev.acme/practice?',
    );
  });

  it("passes on the engine's error when only the engine could have the name", async () => {
    expect((await caught(() => resolve('practise', ['dev.acme/notes']))).code).to.equal(
      'ERR_RUNTIME_UNREACHABLE',
    );
  });

  it('opens no engine for unambiguous image references and known servers', async () => {
    for (const text of ['notes:1', 'ghcr.io/acme/notes', 'ghcr.io/notes', 'localhost/notes']) {
      expect((await resolve(text)).target, text).to.deep.equal({ from: 'image', reference: text });
    }
    expect((await resolve('practice', ['dev.acme/practice'])).target.from).to.equal('registry');
    expect((await resolve('acme/notes', ['acme/notes'])).target.from).to.equal('registry');
  });

  describe('with the default registry', () => {
    let registry: ScriptedRegistry;
    beforeEach(async () => {
      registry = await startScriptedRegistry(apiWith([serverDocument('dev.acme/weather')]));
    });
    afterEach(() => registry.close());

    async function resolveByDefault(
      text: string,
      images?: readonly string[],
      own?: string,
    ): Promise<ResolvedTarget> {
      const folder = await folders.make();
      const user = {
        ...NO_USER_SETTINGS,
        allowPrivateRegistryAddress: true,
        defaultRegistryUrl: registry.url,
        localRegistryPath: own,
      };
      const { openFetch } = createTestContext();
      return await resolveTarget(
        text,
        { ...testWorkloadContext(folder, engineWith(images)), openFetch, user },
        signal,
      );
    }

    it('finds a server by its name, with and without an engine', async () => {
      for (const images of [undefined, []]) {
        const { target, entry } = await resolveByDefault('weather', images);
        expect(target).to.deep.equal({ from: 'registry', server: 'dev.acme/weather' });
        expect(entry?.fields).to.deep.equal({ registry_api_url: registry.url });
      }
    });

    it('sends no request for unambiguous image references and images of the engine', async () => {
      for (const text of [
        'weather:1',
        'ghcr.io/acme/weather',
        'ghcr.io/weather',
        'localhost/weather',
        'weather',
      ]) {
        expect((await resolveByDefault(text, ['weather'])).target.from, text).to.equal('image');
      }
      expect(registry.requests).to.deep.equal([]);
    });

    it('rejects an unknown name after two requests, without reading the whole registry', async () => {
      const error = await caught(() => resolveByDefault('wether', []));
      expect(error.message).to.include(registry.url);
      expect(error).to.have.property('hint').that.includes('weather');
      // The first request searches the whole name. The second searches its beginning, for a suggestion.
      expect(registry.requests).to.deep.equal([
        '/v0.1/servers?search=wether&limit=100&version=latest',
        '/v0.1/servers?search=%2Fwe&limit=100&version=latest',
      ]);
    });

    it('sends no request when another registry is set', async () => {
      const folder = await folders.make();
      const file = path.join(folder, 'catalogue.json');
      await writeFile(file, JSON.stringify({ data: { servers: [] } }));
      expect((await caught(() => resolveByDefault('weather', [], file))).message).to.include(file);
      expect(registry.requests).to.deep.equal([]);
    });
  });
});

function engineWith(images: readonly string[] | undefined): Partial<ContainerEngine> | undefined {
  if (images === undefined) return undefined;
  // The code under test reads no other part of the image.
  const image = { id: 'sha256:1' } as ImageDescription;
  return { inspectImage: async (reference) => (images.includes(reference) ? image : undefined) };
}
