import type { EntryType } from '@portolan/plugin-api';
import { expect } from 'chai';
import { build } from 'esbuild';
import fc from 'fast-check';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { documentValidator } from '../../../packages/entry-format/src/schemas/document-validators.ts';
import { compileValidators } from '../../../scripts/compile-validators.ts';
import { ROOT } from '../../../scripts/workspace-packages.ts';
import { trials } from '../../support/soak.ts';

const HEADER = { name: 'X-Team', value: 'a', isRequired: true, choices: ['a', 'b'], format: 'string' };

/** One document of each type with many fields that could be invalid. */
const WHOLE: Readonly<Record<EntryType, object>> = {
  server: {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name: 'com.acme/notes',
    title: 'Notes',
    description: 'Notes service',
    version: '2.1.0',
    websiteUrl: 'https://acme.example',
    repository: { url: 'https://git.acme.example/notes', source: 'git', subfolder: 'server' },
    icons: [{ src: 'https://acme.example/icon.png', mimeType: 'image/png', sizes: ['48x48'] }],
    packages: [
      {
        registryType: 'npm',
        identifier: 'notes',
        version: '2.1.0',
        transport: { type: 'streamable-http', url: 'http://127.0.0.1:1/mcp', headers: [HEADER] },
        runtimeArguments: [{ type: 'named', name: '--level', value: 'high' }],
        packageArguments: [{ type: 'positional', valueHint: 'folder', default: '/data' }],
        environmentVariables: [{ ...HEADER, name: 'LEVEL', isSecret: true }],
      },
    ],
    remotes: [{ type: 'sse', url: 'https://mcp.acme.example/sse', headers: [HEADER] }],
    _meta: { 'com.acme/team': { name: 'notes' } },
  },
  skill: {
    namespace: 'com.acme',
    name: 'triage',
    description: 'Sort tickets',
    version: '0.3.0',
    packages: [{ registryType: 'git', url: 'https://git.acme.example/triage', ref: 'v1' }],
    allowedTools: ['read'],
    icons: [{ src: 'https://acme.example/icon.png' }],
  },
  plugin: { namespace: 'com.acme', name: 'desk', description: 'A desk', version: '0.3.0', packages: [] },
};

/** Returns a document in which a few values were replaced or removed, and members added. */
const changedDocument = fc
  .tuple(
    fc.constantFrom<EntryType>('server', 'skill', 'plugin'),
    fc.array(fc.tuple(fc.nat(), fc.constantFrom('replace', 'remove', 'add'), fc.jsonValue({ maxDepth: 2 })), {
      maxLength: 4,
    }),
  )
  .map(([type, changes]) => {
    const document: unknown = structuredClone(WHOLE[type]);
    for (const [at, how, value] of changes) change(document, at, how, value);
    return { type, document };
  });

function change(document: unknown, at: number, how: string, value: unknown): void {
  const places = placesIn(document);
  const place = places[at % places.length];
  if (place === undefined) return;
  const [holder, key] = place;
  if (how === 'replace') Reflect.set(holder, key, value);
  else if (how === 'add') Reflect.set(holder, `${key}2`, value);
  else if (Array.isArray(holder)) holder.splice(Number(key), 1);
  else Reflect.deleteProperty(holder, key);
}

function placesIn(value: unknown): readonly (readonly [object, string])[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => [[value, key] as const, ...placesIn(member)]);
}

describe('compileValidators', () => {
  let folder: string;
  let compiled: typeof documentValidator;

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-validators-'));
    const outfile = path.join(folder, 'validators.mjs');
    const resolveDir = path.join(ROOT, 'packages/entry-format/src/schemas');
    await build({
      stdin: { contents: compileValidators(), resolveDir },
      bundle: true,
      format: 'esm',
      platform: 'node',
      outfile,
      logLevel: 'silent',
    });
    // SAFETY: the module has the interface of the other one.
    const module = (await import(pathToFileURL(outfile).href)) as {
      documentValidator: typeof documentValidator;
    };
    compiled = module.documentValidator;
  });
  after(async () => await rm(folder, { recursive: true, force: true }));

  it('generates validators that accept the valid documents of this test', () => {
    for (const type of ['server', 'skill', 'plugin'] as const)
      expect([type, compiled(type, true)(WHOLE[type]), compiled(type, true).errors]).to.deep.equal([
        type,
        true,
        null,
      ]);
  });

  it('generates validators that report the same errors as those of the sources, word for word', () => {
    fc.assert(
      fc.property(changedDocument, fc.boolean(), ({ type, document }, allErrors) => {
        const [ours, theirs] = [documentValidator, compiled].map((validatorFor) => {
          const validate = validatorFor(type, allErrors);
          return { isValid: validate(document), errors: validate.errors ?? [] };
        });
        expect(theirs).to.deep.equal(ours);
      }),
      trials({ short: 2000 }),
    );
  });
});
