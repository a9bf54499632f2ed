import { expect } from 'chai';
import { findDeclarationFaults } from '../../../scripts/find-declaration-faults.ts';

const faultsOf = (
  text: string,
  manifest: Readonly<Record<string, unknown>> = {},
  inlined: readonly string[] = [],
): readonly string[] =>
  findDeclarationFaults({
    manifest: { name: '@acme/harbour', ...manifest },
    inlined,
    texts: new Map([['dist/index.d.ts', text]]),
  });

describe('findDeclarationFaults', () => {
  const WAYS = [
    "import type { Ship } from '@acme/ships/fleet';",
    'export * from "@acme/ships/fleet";',
    "export declare const ship: import('@acme/ships/fleet').Ship;",
    "import '@acme/ships/fleet';",
  ];
  for (const way of WAYS) {
    it(`reports a library that a declaration imports and that is no dependency: ${way}`, () => {
      const fault = 'dist/index.d.ts: it names @acme/ships/fleet, which is no dependency';
      expect(faultsOf(way)).to.deep.equal([fault]);
      expect(faultsOf(way, { devDependencies: { '@acme/ships': '1.0.0' } })).to.deep.equal([fault]);
      expect(faultsOf(way, { dependencies: { '@acme/ships': '1.0.0' } })).to.deep.equal([]);
      expect(faultsOf(way, { peerDependencies: { '@acme/ships': '1.0.0' } })).to.deep.equal([]);
      expect(faultsOf(way, { dependencies: { '@types/acme__ships': '1.0.0' } })).to.deep.equal([]);
    });
  }

  it('ignores modules of Node.js, modules of the package itself and relative paths', () => {
    const text =
      "import 'node:fs';\nimport 'stream';\nimport '@acme/harbour/quay';\nimport './quay.ts';\nexport type Way = 'import' | 'read';\n";
    expect(faultsOf(text)).to.deep.equal([]);
  });

  it('reports a bundled library that the manifest lists as a dependency, although no declaration imports it', () => {
    const manifest = { dependencies: { ships: '1.0.0', waves: '1.0.0', stars: '1.0.0' } };
    const text = "import type { Ship } from 'ships';\n";
    expect(faultsOf(text, manifest, ['ships', 'waves', 'clouds'])).to.deep.equal([
      'waves is part of the package, and still a dependency that nothing needs',
    ]);
  });
});
