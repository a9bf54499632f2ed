import { expect } from 'chai';
import { createRunConfig, type RunConfig } from '@portolan/run-spec';
import { listingOf } from '../../src/run/operations/list/listing-of.ts';

const BUILT = 'portolanlocal/npx-notes:0123456789abcdef';

describe('listingOf', () => {
  const cases: readonly {
    readonly title: string;
    readonly config: Partial<RunConfig>;
    readonly shown: string;
  }[] = [
    {
      title: 'the name in the registry',
      config: { image: BUILT, run_target: 'io.acme/notes', registry_server_name: 'io.acme/notes' },
      shown: 'io.acme/notes',
    },
    {
      title: 'the package',
      config: { image: BUILT, run_target: 'npx://@acme/notes@1.0.0' },
      shown: 'npx://@acme/notes@1.0.0',
    },
    {
      title: 'the image',
      config: { image: 'acme/notes:1', run_target: 'acme/notes:1' },
      shown: 'acme/notes:1',
    },
    {
      title: 'the image of a file without run_target',
      config: { image: 'acme/notes:2' },
      shown: 'acme/notes:2',
    },
    {
      title: 'the address of a remote server',
      config: { remote_url: 'https://mcp.acme.example/mcp', run_target: 'io.acme/remote' },
      shown: 'https://mcp.acme.example/mcp',
    },
  ];
  for (const { title, config, shown } of cases) {
    it(`shows ${title}`, () => {
      const stored = {
        name: 'notes',
        state: undefined,
        config: createRunConfig({ name: 'notes', ...config }),
        supervisor: undefined,
        faults: [],
      };
      const judged = { status: 'stopped', context: '' } as const;
      const listing = listingOf({ stored, judged, isSupervised: false, health: undefined });
      expect(listing.package).to.equal(shown);
    });
  }
});
