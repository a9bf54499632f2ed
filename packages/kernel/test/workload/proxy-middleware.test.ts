import type { Plugin, ProxyMiddleware, ProxyMiddlewareKind } from '@portolan/plugin-api';
import { createTestProxyContext, openTestWorkloadKernel } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { errorOf } from '../support/test-context.ts';

const config = {
  type: 'object',
  required: ['word'],
  properties: {
    word: { type: 'string' },
    times: { type: 'integer', default: 1 },
    key: { type: 'string', secret: true },
  },
} as const;

function pluginWith(create: (config: unknown) => unknown, more: object = {}): Plugin {
  const kind = { kind: 'words', placed: 'mutate', config, create, ...more };
  // Plugins need not be written in TypeScript.
  const proxyMiddleware = [kind as unknown as ProxyMiddlewareKind];
  return { name: 'words', apiVersion: 2, contributes: { proxyMiddleware } };
}

const given = (value: unknown) => ({
  value,
  place: 'additional_middleware_configs[0].parameters',
  origin: 'the run config of w',
});
const judge: ProxyMiddleware = { onMessage: () => undefined };

describe('createProxyMiddleware of the workload kernel', () => {
  it('creates each middleware from the parameters of a run config, and closes all with the kernel', async () => {
    const made: unknown[] = [];
    let open = 0;
    const plugin = pluginWith((block) => {
      made.push(block);
      open += 1;
      return { ...judge, close: async () => void (open -= 1) };
    });
    const kernel = await openTestWorkloadKernel({ plugins: [plugin] });
    try {
      const first = await kernel.createProxyMiddleware(
        'words',
        createTestProxyContext(),
        given({ word: 'a' }),
      );
      await kernel.createProxyMiddleware('words', createTestProxyContext(), given({ word: 'b', times: 2 }));
      expect(first).to.include({ name: 'words', placed: 'mutate' });
      expect(made).to.deep.equal([
        { word: 'a', times: 1 },
        { word: 'b', times: 2 },
      ]);
      expect(kernel.kinds.proxyMiddleware).to.deep.equal(['words']);
    } finally {
      await kernel.close();
    }
    expect(open).to.equal(0);
  });

  it('returns warnings of a kind without a rejection', async () => {
    const doubt = { place: 'word', found: 'a word', expected: 'a sentence', isWarning: true };
    const plugin = pluginWith(() => judge, { check: () => [doubt] });
    const kernel = await openTestWorkloadKernel({ plugins: [plugin] });
    try {
      expect(await kernel.checkProxyMiddleware('words', given({ word: 'a' }))).to.deep.equal([
        'additional_middleware_configs[0].parameters.word: found a word; expected a sentence',
      ]);
    } finally {
      await kernel.close();
    }
  });

  it('rejects unknown kinds, invalid parameters and secrets before it creates anything', async () => {
    const plugin = pluginWith(() => expect.fail('made'));
    const kernel = await openTestWorkloadKernel({ plugins: [plugin] });
    try {
      const unknown = await errorOf(() => kernel.checkProxyMiddleware('wrods', given({})));
      expect(unknown.code).to.equal('ERR_KIND_UNKNOWN');
      expect(unknown.message).to.include('wrods');
      const wrong = await errorOf(() => kernel.checkProxyMiddleware('words', given({ word: 7 })));
      expect(wrong.message)
        .to.include('the run config of w')
        .and.to.include('additional_middleware_configs[0].parameters.word');
      const secret = await errorOf(() =>
        kernel.createProxyMiddleware('words', createTestProxyContext(), given({ word: 'a', key: 'hunter2' })),
      );
      expect(secret.code).to.equal('ERR_CONFIG_INVALID');
      expect(secret.message)
        .to.include('parameters.key')
        .and.to.include('proxyMiddleware.words')
        .and.not.to.include('hunter2');
    } finally {
      await kernel.close();
    }
  });

  const broken: readonly { readonly title: string; readonly made: unknown }[] = [
    { title: 'nothing', made: undefined },
    { title: 'an object without a method', made: {} },
    { title: 'an object whose method is not a function', made: { onMessage: 'yes' } },
    { title: 'an object whose paths are not a list', made: { servedPaths: {} } },
  ];
  for (const { title, made } of broken) {
    it(`rejects a kind that creates ${title}`, async () => {
      const kernel = await openTestWorkloadKernel({ plugins: [pluginWith(() => made)] });
      try {
        const error = await errorOf(() =>
          kernel.createProxyMiddleware('words', createTestProxyContext(), given({ word: 'a' })),
        );
        expect(error.code).to.equal('ERR_PLUGIN_SHAPE');
      } finally {
        await kernel.close();
      }
    });
  }

  it('rejects a kind with an unknown slot', async () => {
    const plugin = pluginWith(() => judge, { placed: 'serve' });
    const error = await errorOf(() => openTestWorkloadKernel({ plugins: [plugin] }));
    expect(error.message).to.include('"placed" is "serve"').and.to.include('authorize');
  });
});
