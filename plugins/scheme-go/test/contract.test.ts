import type { IndexedPackage } from '@portolan/plugin-api';
import { answeringFetch, schemeContract } from '@portolan/plugin-testing';
import { goScheme } from '../src/index.ts';

const INDEX: Readonly<Record<string, string>> = {
  'https://go.acme.example/acme.example/notes/@v/list': 'v1.0.0\nv1.2.0\n',
  'https://go.acme.example/acme.example/notes/@v/v1.0.0.info': '{"Version":"v1.0.0"}',
};

const openFetch = answeringFetch((url) => {
  const found = INDEX[url];
  return found === undefined ? undefined : new Response(found);
});

const notes = (version: string | undefined, pinned = false): IndexedPackage => ({
  from: 'index',
  name: 'acme.example/notes/cmd/server',
  extras: [],
  version,
  pinned,
});

schemeContract({
  name: 'go',
  kind: goScheme,
  blocks: [{}],
  create: (context) => goScheme.create({}, { ...context, openFetch }),
  reference: notes('v1.2.0', true),
  options: () => ({
    environment: { GOPROXY: 'https://go.acme.example', GOSUMDB: 'off' },
    home: '/nowhere',
    workingDirectory: '/nowhere',
  }),
  index: {
    found: [
      { reference: notes(undefined), version: 'v1.2.0' },
      { reference: notes('v1.0.0', true), version: 'v1.0.0' },
    ],
    missing: [{ ...notes(undefined), name: 'acme.example/missing' }],
  },
});
