import { bootTestKernel } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { sourceMaking } from '../../src/host/make-sources.ts';

describe('sourceMaking', () => {
  it('checks a source by the rules of the kernel and the limits of claims, and passes on what changed', async () => {
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
      for (const body of [{ empty: { x: 1 } }, { empty: {}, claims: { org: 'x'.repeat(2000) } }]) {
        const error: unknown = await making.check('made', body).catch((thrown: unknown) => thrown);
        expect(error).to.include({ code: 'ERR_SOURCE_INVALID' });
      }
      making.changed();
      making.due('made');
      expect(calls).to.deep.equal(['refresh', 'trigger made']);
    } finally {
      await kernel.close();
    }
  });
});
