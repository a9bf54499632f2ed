import type { PagesKind, Plugin } from '@portolan/plugin-api';
import { expect } from 'chai';
import { problemsOf } from '../../src/index.ts';
import { checkConfig } from '../../src/validation/check-config.ts';
import { bootOptions, errorOf, smallConfig, withKernel } from '../support/test-context.ts';

const notes: PagesKind = {
  kind: 'notes',
  config: {
    type: 'object',
    description: 'Notes.',
    properties: { title: { type: 'string', default: 'Notes', description: 'What they are called.' } },
  },
  create: ({ title }) => ({ open: () => ({ routes: [], title }) }),
};
const bringing = (kind: PagesKind): { readonly plugin: Plugin } => ({
  plugin: { name: 'brings-pages', apiVersion: 2, contributes: { pages: [kind] } },
});

describe('pages of a configuration', () => {
  const boot = (pages: unknown, { kind = notes, ...more } = {}) =>
    bootOptions({ value: smallConfig({ pages }), pluginObjects: [bringing(kind)], ...more });

  it('are created with their settings, and not opened', async () => {
    let opened = 0;
    const kind = {
      ...notes,
      create: (config: object) => ({ config, open: () => ({ routes: [], opened: (opened += 1) }) }),
    };
    const made = await withKernel(boot({ notes: {} }, { kind }), ({ pages }) =>
      pages.map(({ kind: { kind: name }, instance }) => [name, Reflect.get(instance, 'config')]),
    );
    expect(made).to.deep.equal([['notes', { title: 'Notes' }]]);
    expect(opened).to.equal(0);
  });

  it('are absent without settings, and no shipped package is loaded', async () => {
    const shipped = { pages: { other: 'no-such-package' } };
    expect(await withKernel(bootOptions({ shipped }), ({ pages }) => pages)).to.deep.equal([]);
    const used = bootOptions({ shipped, value: smallConfig({ pages: { other: {} } }) });
    expect(await errorOf(() => checkConfig(used))).to.have.property('code', 'ERR_PLUGIN_NOT_FOUND');
  });

  it('are validated: names of kinds and settings', async () => {
    const places = async (pages: unknown) =>
      problemsOf(await errorOf(() => checkConfig(boot(pages)))).map(({ place }) => place);
    expect(await places({ nots: {} })).to.deep.equal(['pages.nots']);
    expect(await places({ notes: { title: 7 } })).to.deep.equal(['pages.notes.title']);
    expect(await places({ notes: { colour: 'red' } })).to.deep.equal(['pages.notes.colour']);
    expect(await places(['notes'])).to.deep.equal(['pages']);
  });

  it('are rejected without a method `open`', async () => {
    // As a plugin in JavaScript may bring it.
    const kind = { ...notes, create: () => ({ show: () => undefined }) } as unknown as PagesKind;
    const error = await errorOf(() => withKernel(boot({ notes: {} }, { kind }), () => undefined));
    expect(error).to.have.property('code', 'ERR_PLUGIN_SHAPE');
  });
});
