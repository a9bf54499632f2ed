import type { SourceKind, SourceReach } from '@portolan/plugin-api';
import { expect } from 'chai';
import type { ContractCase } from './contract-case.ts';
import type { SourceUnderTest } from './source-under-test.ts';

/** What `reaches` promises; a kind without it cannot be made through the API, which is its right. */
export function reachCases<Kind extends SourceKind>({
  kind,
  blocks = [],
}: SourceUnderTest<Kind>): readonly ContractCase[] {
  return [
    {
      title: 'says what a block leads to, if it does, in forms that can be held against limits',
      run: async () => {
        for (const block of blocks) {
          const reach: SourceReach | undefined = kind.reaches?.(block);
          if (reach === undefined) return;
          for (const text of [...reach.files, ...reach.urls])
            expect(text).to.be.a('string').and.not.equal('');
          for (const { scheme, host, port } of reach.hosts ?? []) {
            expect(scheme, 'name of a protocol').to.match(/^[a-z][a-z0-9+.-]*$/);
            expect(host, 'name or address of a host').to.match(/^[^\s/@[\]]+$/);
            expect(port, 'port').to.be.within(1, 65_535);
            expect(Number.isInteger(port), 'a whole port').to.equal(true);
          }
        }
      },
    },
  ];
}
