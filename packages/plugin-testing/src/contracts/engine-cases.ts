import { expect } from 'chai';
import type { ContractCase } from './contract-case.ts';
import { kindCases } from './kind-cases.ts';
import { containerCases } from './engine-container-cases.ts';
import { rejectionOf } from './helpful-error.ts';
import type { EngineUnderTest } from './engine-under-test.ts';
import { useEngine, type UseEngine } from './use-engine.ts';

/** What a runtime kind with an engine promises; see `ContainerEngine` in `@portolan/plugin-api`. */
export function engineCases(options: EngineUnderTest): readonly ContractCase[] {
  const use: UseEngine = (action) => () => useEngine(options, action);
  const { image, makeNetwork } = options;
  return [
    ...kindCases(options.kind, options.blocks),
    {
      title: 'says which engine answers, and where',
      run: use(async ({ runtime }) => {
        const engine = await runtime.describe();
        for (const part of ['name', 'version', 'os', 'architecture', 'address'] as const) {
          expect(engine[part], part).to.be.a('string').and.to.not.equal('');
        }
      }),
    },
    {
      title: 'describes an image that is there, by reference and by id',
      run: use(async ({ runtime }) => {
        const found = await runtime.inspectImage(image);
        expect(found).to.include.keys('id', 'labels', 'environment', 'entrypoint', 'command');
        expect((await runtime.inspectImage(found?.id ?? ''))?.id).to.equal(found?.id);
        expect((await runtime.provideImage(image, { pull: 'never' })).id).to.equal(found?.id);
      }),
    },
    {
      title: 'knows nothing of an image that is not there, and says so when it has to be',
      run: use(async ({ runtime, name }) => {
        const reference = `${name()}:none`;
        expect(await runtime.inspectImage(reference)).to.equal(undefined);
        const error = await rejectionOf(runtime.provideImage(reference, { pull: 'never' }));
        expect(error).to.include({ code: 'ERR_IMAGE_NOT_FOUND' });
        await runtime.removeImage(reference);
      }),
    },
    ...containerCases(options, use),
    missingNetworkCase(use),
    ...(makeNetwork === undefined ? [] : [networkCase(use, makeNetwork)]),
  ];
}

function missingNetworkCase(use: UseEngine): ContractCase {
  return {
    title: 'lists no network that nobody has made, and removes it without an error',
    run: use(async ({ runtime, labels, name }) => {
      expect(await runtime.listNetworks(labels)).to.deep.equal([]);
      await runtime.removeNetwork(name());
    }),
  };
}

function networkCase(use: UseEngine, makeNetwork: NonNullable<EngineUnderTest['makeNetwork']>): ContractCase {
  return {
    title: 'lists and removes networks',
    run: use(async ({ runtime, labels, name }) => {
      const network = name();
      const id = await makeNetwork(runtime, network, labels);
      const listed = await runtime.listNetworks(labels);
      expect(listed.map((one) => ({ id: one.id, name: one.name }))).to.deep.equal([{ id, name: network }]);
      await runtime.removeNetwork(id);
      await runtime.removeNetwork(id);
      expect(await runtime.listNetworks(labels)).to.deep.equal([]);
    }),
  };
}
