import { expect } from 'chai';
import type { Metafile } from 'esbuild';
import { type BundleFindings, findBundleFaults } from '../../../scripts/find-bundle-faults.ts';

type Output = Metafile['outputs'][string];
const output = (more: Partial<Output> = {}): Output => ({
  bytes: 1,
  inputs: {},
  imports: [],
  exports: [],
  ...more,
});

const faultsOf = (findings: Partial<BundleFindings>): readonly string[] =>
  findBundleFaults({
    manifest: {},
    bundled: { generated: {} },
    metafile: { outputs: {} },
    texts: new Map(),
    ...findings,
  });

describe('findBundleFaults', () => {
  it('reports a module with import.meta outside the top of dist', () => {
    const inputs = { 'src/build-info.ts': { bytesInOutput: 1 } };
    const texts = new Map([['src/build-info.ts', "new URL('./info.json', import.meta.url)"]]);
    const faultsIn = (file: string): readonly string[] =>
      faultsOf({ metafile: { outputs: { [file]: output({ inputs }) } }, texts });
    expect(faultsIn('dist/build-info-ABCD.js')).to.deep.equal([]);
    expect(faultsIn('dist/commands/version.js').join()).to.include('src/build-info.ts');
  });

  it('reports an import of a package that is not a dependency', () => {
    const imports: Output['imports'] = [
      { path: 'node:fs', kind: 'import-statement', external: true },
      { path: '@acme/lines/more.js', kind: 'dynamic-import', external: true },
      { path: 'pg', kind: 'import-statement', external: true },
      { path: 'optional', kind: 'require-call', external: true },
    ];
    const faults = faultsOf({
      manifest: { dependencies: { '@acme/lines': '1.0.0' } },
      metafile: { outputs: { 'dist/index.js': output({ imports }) } },
    });
    expect(faults).to.deep.equal(['dist/index.js: imports pg, which is not a dependency']);
  });

  it('reports a generated module that nothing imports', () => {
    const faultsWith = (name: string): readonly string[] =>
      faultsOf({
        bundled: { generated: { [name]: () => '' } },
        texts: new Map([['src/schemas/validators.ts', '']]),
      });
    expect(faultsWith('schemas/validators.ts')).to.deep.equal([]);
    expect(faultsWith('schemas/old.ts').join()).to.include('src/schemas/old.ts');
  });
});
