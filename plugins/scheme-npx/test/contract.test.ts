import type { IndexedPackage } from '@portolan/plugin-api';
import { answeringFetch, schemeContract } from '@portolan/plugin-testing';
import { npxScheme } from '../src/index.ts';

const INDEX: Readonly<Record<string, object>> = {
  'https://npm.acme.example/@acme%2Fnotes-mcp': {
    'dist-tags': { latest: '2.1.0', next: '3.0.0-beta.1' },
    versions: { '1.0.0': {}, '2.1.0': {}, '3.0.0-beta.1': {} },
  },
};

const openFetch = answeringFetch((url) => {
  const found = INDEX[url];
  return found === undefined ? undefined : Response.json(found);
});

const notes = (version: string | undefined, pinned = false): IndexedPackage => ({
  from: 'index',
  name: '@acme/notes-mcp',
  extras: [],
  version,
  pinned,
});

schemeContract({
  name: 'npx',
  kind: npxScheme,
  blocks: [{}],
  create: (context) => npxScheme.create({}, { ...context, openFetch }),
  reference: notes('2.1.0', true),
  options: () => ({
    environment: { npm_config_registry: 'https://npm.acme.example/' },
    home: '/nowhere',
    workingDirectory: '/nowhere',
  }),
  index: {
    found: [
      { reference: notes(undefined), version: '2.1.0' },
      { reference: notes('next'), version: '3.0.0-beta.1' },
      { reference: notes('1.0.0', true), version: '1.0.0' },
    ],
    missing: [{ ...notes(undefined), name: '@acme/missing' }, notes('9')],
  },
});
