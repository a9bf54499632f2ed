import type { IndexedPackage } from '@portolan/plugin-api';
import { answeringFetch, schemeContract } from '@portolan/plugin-testing';
import { uvxScheme } from '../src/index.ts';

const FILES = ['notes_mcp-1.0-py3-none-any.whl', 'notes_mcp-2.1.0.tar.gz', 'notes_mcp-3.0.0b1.tar.gz'];

const openFetch = answeringFetch((url) => {
  if (url !== 'https://python.acme.example/simple/notes-mcp/') return undefined;
  const headers = { 'content-type': 'application/vnd.pypi.simple.v1+json' };
  return new Response(JSON.stringify({ files: FILES.map((filename) => ({ filename })) }), { headers });
});

const notes = (version: string | undefined, pinned = false): IndexedPackage => ({
  from: 'index',
  name: 'notes-mcp',
  extras: [],
  version,
  pinned,
});

schemeContract({
  name: 'uvx',
  kind: uvxScheme,
  blocks: [{}],
  create: (context) => uvxScheme.create({}, { ...context, openFetch }),
  reference: notes('2.1.0', true),
  options: () => ({
    environment: { UV_INDEX_URL: 'https://python.acme.example/simple' },
    home: '/nowhere',
    workingDirectory: '/nowhere',
  }),
  index: {
    found: [
      { reference: notes(undefined), version: '2.1.0' },
      { reference: notes('1.0', true), version: '1.0' },
    ],
    missing: [{ ...notes(undefined), name: 'missing' }],
  },
});
