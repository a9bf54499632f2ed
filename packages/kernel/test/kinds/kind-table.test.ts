import type { Contributions } from '@portolan/plugin-api';
import { expect } from 'chai';
import { collectKinds } from '../../src/kinds/kind-table.ts';
import type { LoadedPlugin } from '../../src/plugins/import-plugin.ts';
import { errorOf } from '../support/test-context.ts';

const none = { sources: {}, authProviders: {}, middleware: {} };
const plain = { config: { type: 'object' as const }, create: () => Promise.reject(new Error('never made')) };

const LISTS: readonly { list: keyof Contributions; contributes: Contributions; label: string }[] = [
  { list: 'runtimes', contributes: { runtimes: [{ ...plain, kind: 'mine' }] }, label: 'runtime "mine"' },
  {
    list: 'transports',
    contributes: { transports: [{ ...plain, kind: 'mine', carries: 'http' }] },
    label: 'transport "mine"',
  },
  {
    list: 'schemes',
    contributes: { schemes: [{ ...plain, kind: 'mine', packages: 'npm' }] },
    label: 'scheme "mine"',
  },
  {
    list: 'secretStores',
    contributes: { secretStores: [{ ...plain, kind: 'mine', can: [] }] },
    label: 'secret store "mine"',
  },
  {
    list: 'telemetry',
    contributes: { telemetry: [{ ...plain, kind: 'mine', hosts: ['registry-server'] }] },
    label: 'telemetry exporter "mine"',
  },
  {
    list: 'proxyMiddleware',
    contributes: { proxyMiddleware: [{ ...plain, kind: 'mine', placed: 'validate' }] },
    label: 'proxy middleware "mine"',
  },
];

const loaded = (
  name: string,
  contributes: Contributions,
  more: Partial<LoadedPlugin> = {},
): LoadedPlugin => ({
  plugin: { name, apiVersion: 2, contributes },
  specifier: name,
  file: `/srv/${name}.js`,
  shipped: false,
  override: false,
  options: undefined,
  optionsPlace: [],
  ...more,
});

describe('collectKinds', () => {
  for (const { list, contributes, label } of LISTS) {
    it(`finds a ${label} with its plugin`, () => {
      const entry = collectKinds([loaded('one', contributes)], none)[list].get('mine');
      expect(entry).to.deep.include({ plugin: 'one', file: '/srv/one.js', shipped: false });
    });

    it(`throws for two plugins with the same ${label}`, async () => {
      const twice = [loaded('one', contributes), loaded('two', contributes)];
      const error = await errorOf(() => collectKinds(twice, none));
      expect(error.code).to.equal('ERR_PLUGIN_KIND_CLASH');
      expect(error.message).to.include(label);
    });

    it(`replaces a shipped ${label} only by a plugin with override`, async () => {
      const shipped = { ...none, [list]: { mine: '@acme/shipped' } };
      const error = await errorOf(() => collectKinds([loaded('one', contributes)], shipped));
      expect(error.code).to.equal('ERR_PLUGIN_KIND_CLASH');
      const table = collectKinds([loaded('one', contributes, { override: true })], shipped);
      expect(table[list].get('mine')?.plugin).to.equal('one');
    });
  }
});
