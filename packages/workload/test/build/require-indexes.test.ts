import {
  type MergeInput,
  type ServerSettings,
  fillServerSettings,
  expectedBuildVariable,
  NO_BUILD_SETTINGS,
  NO_USER_SETTINGS,
} from '@portolan/run-spec';
import { readServerSettings } from '@portolan/run-spec/entries';
import { expect } from 'chai';
import type { BuildContext } from '../../src/build/build-request.ts';
import { indexRefused } from '../../src/build/build-errors.ts';
import { requireIndexes } from '../../src/build/require-indexes.ts';
import { caught } from '../../../../test/support/caught.ts';
import { planningScheme } from '../support/planning-scheme.ts';
import { testWorkloadContext } from '../support/test-workload-context.ts';

const OWN = 'https://python.acme.example/simple';

/** Returns a context whose build settings name an index, and whose scheme reads that setting. */
function context(): BuildContext {
  const usual = testWorkloadContext('/none');
  const build = { ...NO_BUILD_SETTINGS, values: { UV_DEFAULT_INDEX: OWN } };
  return {
    ...usual,
    user: { ...NO_USER_SETTINGS, build },
    kinds: {
      ...usual.kinds,
      openScheme: async () => ({
        ...planningScheme(),
        authFiles: ['netrc'],
        listIndexes: async ({ environment }) => [
          environment['UV_DEFAULT_INDEX'] ?? 'https://pypi.org/simple/',
        ],
      }),
    },
  };
}

async function entryWith(...words: readonly string[]): Promise<Pick<MergeInput, 'target' | 'entry'>> {
  const server: ServerSettings = readServerSettings({
    name: 'dev.acme/notes',
    packages: [
      {
        registryType: 'pypi',
        identifier: 'notes',
        transport: { type: 'stdio' },
        runtimeArguments: words.map((value) => ({ type: 'positional', value })),
      },
    ],
  });
  const filled = fillServerSettings(server, { values: new Map(), secrets: new Set(), hasArguments: false });
  return { target: { from: 'registry', server: server.server }, entry: { server, filled } };
}

describe('requireIndexes (uv 17779)', () => {
  const { signal } = new AbortController();

  for (const words of [
    [],
    ['--default-index', OWN],
    ['--index-url', `${OWN}/`],
    ['--index-url=https://ada:key@python.acme.example/simple'],
    ['--default-index', 'https://pypi.org/simple'],
  ]) {
    it(`accepts ${words.join(' ') || 'no index'}`, async () => {
      await requireIndexes(await entryWith(...words), context(), signal);
    });
  }

  for (const words of [
    ['--default-index', 'https://evil.example/simple'],
    ['--index', 'https://python.acme.example/other'],
    ['--extra-index-url', 'http://python.acme.example/simple'],
    ['-i', 'not an address'],
  ]) {
    it(`rejects ${words.join(' ')}, with a hint that names the setting`, async () => {
      const error = await caught(async () => requireIndexes(await entryWith(...words), context(), signal));
      expect(error).to.include({ code: 'ERR_PACKAGE_INDEX_REFUSED', class: 'mistake' });
      expect(error.message).to.include(words.at(-1)).and.to.include('dev.acme/notes');
      expect(error).to.have.property('hint').that.includes('portolan config set-build-env UV_INDEX');
    });
  }

  for (const scheme of ['npx', 'uvx']) {
    it(`names a variable of ${scheme} in the hint that \`config set-build-env\` accepts`, () => {
      const { hint = '' } = indexRefused('dev.acme/notes', 'https://a.example/', scheme);
      const [, name = ''] = /set-build-env (\S+)/.exec(hint) ?? [];
      expect(expectedBuildVariable(name)).to.equal(undefined);
    });
  }
});
