import type { Plugin, ToolIndexKind } from '@portolan/plugin-api';
import { openTestWorkloadKernel } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { errorOf } from '../support/test-context.ts';

const config = { type: 'object', required: ['model'], properties: { model: { type: 'string' } } } as const;

function pluginWith(create: () => unknown, block: object = { type: 'object', properties: {} }): Plugin {
  // Plugins need not be written in TypeScript.
  const kind = { kind: 'near', config: block, create } as unknown as ToolIndexKind;
  return { name: 'near', apiVersion: 2, contributes: { toolIndexes: [kind] } };
}

describe('createToolIndex of the workload kernel', () => {
  it('creates an index, and closes it with the kernel', async () => {
    let isOpen = true;
    const instance = { build: () => ({ search: () => [] }), close: async () => void (isOpen = false) };
    const kernel = await openTestWorkloadKernel({ plugins: [pluginWith(() => instance)] });
    await kernel.checkToolIndex('near');
    expect(await kernel.createToolIndex('near')).to.equal(instance);
    expect(kernel.kinds.toolIndexes).to.deep.equal(['near']);
    await kernel.close();
    expect(isOpen).to.equal(false);
  });

  it('rejects an unknown name, and an index without its required settings, before it creates anything', async () => {
    const kernel = await openTestWorkloadKernel({
      plugins: [pluginWith(() => expect.fail('created'), config)],
    });
    try {
      const unknown = await errorOf(() => kernel.checkToolIndex('neer'));
      expect(unknown).to.include({ code: 'ERR_KIND_UNKNOWN' });
      expect(unknown.message).to.equal('Unknown tool index "neer"; expected near.');
      expect(await errorOf(() => kernel.checkToolIndex('near'))).to.include({ code: 'ERR_CONFIG_INVALID' });
    } finally {
      await kernel.close();
    }
  });

  it('rejects an instance without "build"', async () => {
    const kernel = await openTestWorkloadKernel({ plugins: [pluginWith(() => ({}))] });
    try {
      expect(await errorOf(() => kernel.createToolIndex('near'))).to.include({ code: 'ERR_PLUGIN_SHAPE' });
    } finally {
      await kernel.close();
    }
  });
});
