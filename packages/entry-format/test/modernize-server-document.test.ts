import {
  LATEST_SERVER_SCHEMA,
  modernizeServerDocument,
  SERVER_SCHEMA_VERSIONS,
  serverSchemaAddress,
  validateServerDocument,
} from '@portolan/entry-format';
import { expect } from 'chai';
import fc from 'fast-check';
import { serverDocument } from './documents.ts';

const OLD = serverSchemaAddress('2025-07-09');

describe('modernizeServerDocument', () => {
  it('renames every snake_case member and sets the newest schema (official registry 783; editor 278610, 286092)', () => {
    const old = {
      $schema: OLD,
      name: 'com.acme/notes',
      description: 'Notes service',
      version: '2.1.0',
      status: 'deprecated',
      website_url: 'https://notes.acme.example',
      packages: [
        {
          registry_type: 'npm',
          registry_base_url: 'https://packages.acme.example',
          identifier: 'notes',
          version: '2.1.0',
          file_sha256: 'a'.repeat(64),
          runtime_hint: 'npx',
          runtime_arguments: [{ type: 'named', name: '--yes', is_repeated: false, is_required: true }],
          package_arguments: [
            {
              type: 'positional',
              value_hint: 'folder',
              value: '{is_secret}',
              variables: { is_secret: { is_secret: true } },
            },
          ],
          environment_variables: [{ name: 'KEY', is_required: true, is_secret: true }],
        },
      ],
      remotes: [
        { type: 'sse', url: 'https://mcp.acme.example/sse', headers: [{ name: 'X-Key', is_secret: true }] },
      ],
      _meta: {
        'io.modelcontextprotocol.registry/official': { id: '1' },
        'io.modelcontextprotocol.registry/publisher-provided': { is_required: true },
      },
    };
    const before = structuredClone(old);
    const modern = modernizeServerDocument(old);
    expect(modern).to.deep.equal({
      $schema: LATEST_SERVER_SCHEMA,
      name: 'com.acme/notes',
      description: 'Notes service',
      version: '2.1.0',
      websiteUrl: 'https://notes.acme.example',
      packages: [
        {
          registryType: 'npm',
          registryBaseUrl: 'https://packages.acme.example',
          identifier: 'notes',
          version: '2.1.0',
          fileSha256: 'a'.repeat(64),
          runtimeHint: 'npx',
          runtimeArguments: [{ type: 'named', name: '--yes', isRepeated: false, isRequired: true }],
          packageArguments: [
            {
              type: 'positional',
              valueHint: 'folder',
              value: '{is_secret}',
              variables: { is_secret: { isSecret: true } },
            },
          ],
          environmentVariables: [{ name: 'KEY', isRequired: true, isSecret: true }],
          transport: { type: 'stdio' },
        },
      ],
      remotes: [
        { type: 'sse', url: 'https://mcp.acme.example/sse', headers: [{ name: 'X-Key', isSecret: true }] },
      ],
      _meta: { 'io.modelcontextprotocol.registry/publisher-provided': { is_required: true } },
    });
    expect(old).to.deep.equal(before);
    expect(validateServerDocument(modern, 'publish')).to.deep.equal([]);
  });

  for (const version of SERVER_SCHEMA_VERSIONS.slice(1)) {
    it(`returns a document of ${version} as the same object`, () => {
      const document = serverDocument({
        $schema: serverSchemaAddress(version),
        status: 'active',
        packages: [{ registry_type: 'npm' }],
      });
      expect(modernizeServerDocument(document)).to.equal(document);
    });
  }

  it('returns a camelCase document without a schema as the same object', () => {
    const document = { name: 'com.acme/notes', packages: [{ registryType: 'npm' }], remotes: [1] };
    expect(modernizeServerDocument(document)).to.equal(document);
  });

  it('converts snake_case members of a document without a known schema', () => {
    const document = { $schema: 'https://acme.example/server.json', packages: [{ registry_type: 'npm' }] };
    expect(modernizeServerDocument(document)).to.deep.equal({
      $schema: LATEST_SERVER_SCHEMA,
      packages: [{ registryType: 'npm', transport: { type: 'stdio' } }],
    });
  });

  it('prefers the new name when a document has both', () => {
    const document = {
      $schema: OLD,
      website_url: 'https://old.acme.example',
      websiteUrl: 'https://new.acme.example',
    };
    expect(modernizeServerDocument(document)).to.deep.equal({
      $schema: LATEST_SERVER_SCHEMA,
      websiteUrl: 'https://new.acme.example',
    });
  });

  it('accepts any JSON and is idempotent', () => {
    const member = fc.constantFrom('packages', 'remotes', '_meta', 'status', 'website_url', '__proto__');
    fc.assert(
      fc.property(fc.dictionary(member, fc.jsonValue()), (members) => {
        const once = modernizeServerDocument({ ...members, $schema: OLD });
        expect(modernizeServerDocument(once)).to.equal(once);
      }),
    );
  });
});
