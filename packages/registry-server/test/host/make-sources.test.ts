import { API_VERSION, type Plugin, type SourceKind } from '@portolan/plugin-api';
import { bootTestKernel } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { sourceMaking } from '../../src/host/make-sources.ts';
import { toHttpProblem } from '../../src/http-errors.ts';

/** Its `create` fails, which says something of the server. */
const broken: SourceKind = {
  kind: 'broken',
  config: { type: 'object', description: 'Fails.', properties: {} },
  claimsFrom: 'publisher',
  create: () => {
    throw new TypeError('no licence in /srv/secret');
  },
};

describe('sourceMaking', () => {
  it('checks a source by the rules of the kernel and the limits of claims, and passes changes on', async () => {
    const kernel = await bootTestKernel();
    const calls: string[] = [];
    try {
      const making = sourceMaking(
        kernel,
        { refresh: async () => void calls.push('refresh') },
        { trigger: (name) => calls.push(`trigger ${name}`) },
      );
      expect(await making.check('made', { empty: {}, claims: { org: 'acme' } })).to.deep.equal({
        kind: 'empty',
        claimsFrom: 'publisher',
        block: {},
        filter: undefined,
        intervalMs: undefined,
        claims: { org: 'acme' },
      });
      const { fault, ...readable } = {
        fault: undefined,
        ...(await making.check('made', { empty: { x: 1 }, claims: { org: 'acme' } })),
      };
      expect(fault).to.include({ code: 'ERR_SOURCE_INVALID' });
      expect(readable).to.deep.equal({ claims: { org: 'acme' } });
      const wrong = await making.check('made', { empty: {}, claims: { org: 'x'.repeat(2000) } });
      expect(wrong).to.have.all.keys('fault').and.nested.property('fault.code', 'ERR_SOURCE_INVALID');
      making.changed();
      making.due('made');
      expect(calls).to.deep.equal(['refresh', 'trigger made']);
    } finally {
      await kernel.close();
    }
  });

  it('hides the error of a failing plugin from the caller', async () => {
    const plugin: Plugin = { name: 'breaks', apiVersion: API_VERSION, contributes: { sources: [broken] } };
    const kernel = await bootTestKernel({ plugins: [plugin] });
    try {
      const making = sourceMaking(kernel, { refresh: () => Promise.resolve() }, { trigger: () => undefined });
      const error: unknown = await making.check('made', { broken: {} }).catch((thrown: unknown) => thrown);
      expect(toHttpProblem(error)).to.include({ status: 500, code: 'ERR_INTERNAL', foreseen: false });
      expect(error).to.have.nested.property('cause.code', 'ERR_PLUGIN_CREATE');
    } finally {
      await kernel.close();
    }
  });
});
