import type { JsonObject } from '@portolan/plugin-api';
import {
  LATEST_SERVER_SCHEMA,
  PUBLISHER_PROVIDED,
  readCatalogue,
  validateServerDocument,
} from '@portolan/entry-format';
import { expect } from 'chai';
import fc from 'fast-check';

async function convert(map: 'servers' | 'remote_servers', entry: unknown): Promise<unknown> {
  const chunks = (async function* (): AsyncGenerator<string> {
    yield JSON.stringify({ [map]: { notes: entry } });
  })();
  for await (const item of readCatalogue(chunks)) return 'document' in item ? item.document : item;
  return undefined;
}

function extension(key: string, members: JsonObject): JsonObject {
  return { [PUBLISHER_PROVIDED]: { 'io.github.stacklok': { [key]: members } } };
}

describe('convertLegacyServer', () => {
  it('converts a container with every field', async () => {
    const document = await convert('servers', {
      name: 'notes',
      title: 'Notes',
      description: 'Keeps notes',
      image: 'ghcr.io/acme/notes:2.1.0',
      transport: 'streamable-http',
      target_port: 9000,
      repository_url: 'https://github.com/acme/notes',
      status: 'Active',
      tier: 'Community',
      tools: ['add'],
      tags: ['notes'],
      args: ['--verbose'],
      env_vars: [
        { name: 'KEY', description: 'The key', required: true, secret: true },
        { name: 'MODE', description: 'The mode', required: false, default: 'fast' },
      ],
      permissions: { network: {} },
      provenance: { cert_issuer: 'https://issuer.acme.example' },
    });
    expect(document).to.deep.equal({
      $schema: LATEST_SERVER_SCHEMA,
      name: 'io.github.stacklok/notes',
      title: 'Notes',
      description: 'Keeps notes',
      version: '1.0.0',
      repository: { url: 'https://github.com/acme/notes', source: 'github' },
      packages: [
        {
          registryType: 'oci',
          identifier: 'ghcr.io/acme/notes:2.1.0',
          transport: { type: 'streamable-http', url: 'http://localhost:9000' },
          packageArguments: [{ type: 'positional', value: '--verbose' }],
          environmentVariables: [
            { name: 'KEY', description: 'The key', isRequired: true, isSecret: true },
            { name: 'MODE', description: 'The mode', default: 'fast' },
          ],
        },
      ],
      _meta: extension('ghcr.io/acme/notes:2.1.0', {
        status: 'Active',
        tier: 'Community',
        tools: ['add'],
        tags: ['notes'],
        args: ['--verbose'],
        permissions: { network: {} },
        provenance: { cert_issuer: 'https://issuer.acme.example' },
      }),
    });
    expect(validateServerDocument(document, 'publish')).to.deep.equal([]);
  });

  it('converts a remote server with every field', async () => {
    const url = 'https://mcp.acme.example/sse';
    const document = await convert('remote_servers', {
      url,
      description: 'Keeps notes',
      transport: 'sse',
      headers: [{ name: 'X-Key', description: 'The key', required: true, secret: true, choices: ['a', 'b'] }],
      env_vars: [{ name: 'KEY', description: 'The key', required: true }],
      oauth_config: { issuer: 'https://issuer.acme.example' },
      custom_metadata: { author: 'Acme' },
    });
    expect(document).to.deep.equal({
      $schema: LATEST_SERVER_SCHEMA,
      name: 'io.github.stacklok/notes',
      description: 'Keeps notes',
      version: '1.0.0',
      remotes: [
        {
          type: 'sse',
          url,
          headers: [
            { name: 'X-Key', description: 'The key', isRequired: true, isSecret: true, choices: ['a', 'b'] },
          ],
        },
      ],
      _meta: extension(url, {
        env_vars: [{ name: 'KEY', description: 'The key', required: true }],
        oauth_config: { issuer: 'https://issuer.acme.example' },
        custom_metadata: { author: 'Acme' },
      }),
    });
    expect(validateServerDocument(document, 'publish')).to.deep.equal([]);
  });

  const transports = [
    { title: 'stdio by default', entry: {}, expected: { type: 'stdio' } },
    {
      title: 'port 8080 by default',
      entry: { transport: 'sse' },
      expected: { type: 'sse', url: 'http://localhost:8080' },
    },
  ];
  for (const { title, entry, expected } of transports) {
    it(`chooses ${title}`, async () => {
      const document = await convert('servers', { image: 'acme/notes', ...entry });
      expect(document).to.have.nested.property('packages[0].transport').that.deep.equals(expected);
    });
  }

  const repositories = [
    { url: 'https://github.com/acme/notes', source: 'github' },
    { url: 'https://www.github.com/acme/notes', source: 'github' },
    { url: 'https://gitlab.com/acme/group/notes', source: 'gitlab' },
    { url: 'https://forge.acme.example/notes', source: 'forge.acme.example' },
  ];
  for (const { url, source } of repositories) {
    it(`detects the repository host of ${url}`, async () => {
      const document = await convert('servers', { image: 'acme/notes', repository_url: url });
      expect(document).to.have.property('repository').that.deep.equals({ url, source });
    });
  }

  it('keeps an invalid repository address and an unused port in the extension', async () => {
    const entry = { image: 'acme/notes', repository_url: 'notes', target_port: 9000 };
    const document = await convert('servers', entry);
    expect(document).not.to.have.property('repository');
    expect(document)
      .to.have.property('_meta')
      .that.deep.equals(extension('acme/notes', { repository_url: 'notes', target_port: 9000 }));
  });

  const long = '😀'.repeat(150);
  const descriptions = [
    {
      title: 'keeps 100 characters',
      description: '😀'.repeat(100),
      short: '😀'.repeat(100),
      overview: undefined,
    },
    {
      title: 'truncates a longer one, and keeps all of it as overview',
      description: long,
      short: '😀'.repeat(100),
      overview: long,
    },
  ];
  for (const { title, description, short, overview } of descriptions) {
    it(`description › ${title}`, async () => {
      const document = await convert('servers', { image: 'a', description });
      expect(document).to.have.property('description', short);
      expect(document)
        .to.have.property('_meta')
        .that.deep.equals(extension('a', overview === undefined ? {} : { overview }));
    });
  }

  it('does not replace an overview, unless it is empty', async () => {
    const kept = await convert('servers', { image: 'a', description: long, overview: 'Whole' });
    expect(kept)
      .to.have.property('_meta')
      .that.deep.equals(extension('a', { overview: 'Whole' }));
    const replaced = await convert('servers', { image: 'a', description: long, overview: '' });
    expect(replaced)
      .to.have.property('_meta')
      .that.deep.equals(extension('a', { overview: long }));
  });

  it('skips an entry without a way to start or reach it', async () => {
    expect(await convert('servers', { description: 'Keeps notes' })).to.deep.equal({
      skipped: 'servers.notes',
      because: 'The entry has neither `image` nor `url`; expected one of them as text.',
      entry: { type: 'server', name: 'io.github.stacklok/notes' },
    });
  });

  it('never throws on any JSON value', async () => {
    const member = fc.constantFrom(
      'image',
      'url',
      'transport',
      'args',
      'env_vars',
      'headers',
      'repository_url',
      'description',
    );
    await fc.assert(
      fc.asyncProperty(fc.dictionary(member, fc.jsonValue()), async (entry) => {
        expect(await convert('servers', { image: 'acme/notes', ...entry })).to.be.an('object');
      }),
    );
  });
});
