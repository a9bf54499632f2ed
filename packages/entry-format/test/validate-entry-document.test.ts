import type { DocumentIssue, Strength } from '@portolan/entry-format';
import {
  DOCUMENT_SCHEMAS,
  printIssues,
  SERVER_SCHEMA_VERSIONS,
  serverSchemaAddress,
  validateEntryDocument,
  validatePluginDocument,
  validateServerDocument,
  validateSkillDocument,
} from '@portolan/entry-format';
import { ENTRY_TYPES } from '@portolan/plugin-api';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import fc from 'fast-check';
import { documentWithPackage, documentWithRemote, serverDocument, skillDocument } from './documents.ts';
import { trials } from '../../../test/support/soak.ts';

/** `severity reference path` of each issue, which is what most cases are about. */
function brief(issues: readonly DocumentIssue[]): readonly string[] {
  return issues.map(({ severity, reference, path }) => `${severity} ${reference} ${path}`);
}

interface Case {
  readonly title: string;
  readonly document: unknown;
  readonly publish: readonly string[];
  /** Left out: the same issues as errors of schema, name and version, and the others as warnings. */
  readonly sync?: readonly string[];
}

const NAME = 'error name-format name';
const VERSION = 'error version-concrete version';

function both(title: string, document: unknown, ...issues: readonly string[]): Case {
  return { title, document, publish: issues, sync: issues };
}

function softer(title: string, document: unknown, issue: string): Case {
  return { title, document, publish: [`error ${issue}`], sync: [`warning ${issue}`] };
}

function advised(title: string, document: unknown, issue: string): Case {
  return both(title, document, `warning ${issue}`);
}

// official registry 533, 535, 694, 1546: forms that it accepted, or that its publisher wrote.
const reported: readonly Case[] = [
  both(
    'official registry 1546: an empty repository',
    serverDocument({ repository: {} }),
    'error schema:required repository.url',
    'error schema:required repository.source',
  ),
  both(
    'official registry 533, 535: registry_type',
    serverDocument({
      packages: [
        { registry_type: 'npm', identifier: '@acme/a', version: '1.0.0', transport: { type: 'stdio' } },
      ],
    }),
    'error schema:required packages[0].registryType',
  ),
  both(
    'official registry 694: remotes as an object',
    serverDocument({ remotes: { 'streamable-http': { url: 'https://acme.example/mcp' } } }),
    'error schema:type remotes',
  ),
];

const names: readonly Case[] = [
  both('name acme', serverDocument({ name: 'acme' }), 'error schema:pattern name'),
  both('name a/b/c', serverDocument({ name: 'a/b/c' }), 'error schema:pattern name'),
  both('name .acme/xy', serverDocument({ name: '.acme/xy' }), NAME),
  both('name acme/x-', serverDocument({ name: 'acme/x-' }), NAME),
  both('name acme/x', serverDocument({ name: 'acme/x' }), 'warning name-short-part name'),
  both('name io.github.ada/notes_v2', serverDocument({ name: 'io.github.ada/notes_v2' })),
  both(
    'a name of 201 characters',
    serverDocument({ name: `a/${'b'.repeat(199)}` }),
    'error schema:maxLength name',
  ),
  both('no name', serverDocument({ name: undefined }), 'error schema:required name'),
  both('a name that is a number', serverDocument({ name: 1 }), 'error schema:type name'),
];

const versions: readonly Case[] = [
  ...['1.0.0', 'v1', '2026.01.15', 'nightly'].map((version) =>
    both(`version ${version}`, serverDocument({ version })),
  ),
  ...['latest', '^1.2.3', '~1', '>=1.0', '1.x', '1.2.*', '1.0 - 2.0', '1.2 || 1.3', '', '1.0 beta'].map(
    (version) => both(`version ${JSON.stringify(version)}`, serverDocument({ version }), VERSION),
  ),
  both(
    'a package of version latest',
    documentWithPackage({ version: 'latest' }),
    'error schema:not packages[0].version',
  ),
  both(
    'a package of version ^1',
    documentWithPackage({ version: '^1' }),
    'error version-concrete packages[0].version',
  ),
];

const schemas: readonly Case[] = [
  ...SERVER_SCHEMA_VERSIONS.map((date) =>
    both(`schema ${date}`, serverDocument({ $schema: serverSchemaAddress(date) })),
  ),
  softer('no schema', serverDocument({ $schema: undefined }), 'schema-known $schema'),
  softer(
    'the draft schema',
    serverDocument({ $schema: serverSchemaAddress('draft') }),
    'schema-known $schema',
  ),
  softer(
    'an unknown schema',
    serverDocument({ $schema: 'https://acme.example/server.json' }),
    'schema-known $schema',
  ),
  both('a schema that is no address', serverDocument({ $schema: 'server' }), 'error schema:format $schema'),
];

const texts: readonly Case[] = [
  both('a description of 100 characters', serverDocument({ description: '😀'.repeat(100) })),
  both(
    'a description of 101 characters',
    serverDocument({ description: 'x'.repeat(101) }),
    'error schema:maxLength description',
  ),
  both('an empty description', serverDocument({ description: '' }), 'error schema:minLength description'),
  softer('a blank title', serverDocument({ title: ' \t' }), 'title-blank title'),
  softer(
    'a website without TLS',
    serverDocument({ websiteUrl: 'http://acme.example' }),
    'website-https websiteUrl',
  ),
  softer(
    'an icon with http source',
    serverDocument({ icons: [{ src: 'http://acme.example/i.png' }] }),
    'icon-https icons[0].src',
  ),
  both(
    'an icon of size big',
    serverDocument({ icons: [{ src: 'https://acme.example/i.png', sizes: ['big'] }] }),
    'error schema:pattern icons[0].sizes[0]',
  ),
  both(
    'an icon of type gif',
    serverDocument({ icons: [{ src: 'https://acme.example/i.gif', mimeType: 'image/gif' }] }),
    'error schema:enum icons[0].mimeType',
  ),
];

function repository(url: string, source: string, subfolder?: string): unknown {
  return serverDocument({ repository: { url, source, ...(subfolder === undefined ? {} : { subfolder }) } });
}

const github = 'https://github.com/acme/notes';
const repositories: readonly Case[] = [
  both('a GitHub repository', repository(github, 'github', 'src/notes-2')),
  both('a GitLab repository in nested groups', repository('https://gitlab.com/a/b/c', 'gitlab')),
  both(
    'a GitHub address without repository',
    repository('https://github.com/acme', 'github'),
    'warning repository-host repository.url',
  ),
  both(
    'a GitLab of its own',
    repository('https://git.acme.example/a/b', 'gitlab'),
    'warning repository-host repository.url',
  ),
  both(
    'another forge',
    repository('https://forge.acme.example/a', 'forge'),
    'warning repository-host repository.source',
  ),
  ...['/src', 'src/', 'a/../b', './a', 'a//b', 'a b', ''].map((subfolder) =>
    softer(
      `subfolder ${JSON.stringify(subfolder)}`,
      repository(github, 'github', subfolder),
      'repository-subfolder repository.subfolder',
    ),
  ),
];

const http = { type: 'streamable-http', url: 'http://localhost:{port}/mcp' };
const positional = (members: object) =>
  documentWithPackage({ packageArguments: [{ type: 'positional', ...members }] });
const named = (members: object) => documentWithPackage({ packageArguments: [{ type: 'named', ...members }] });

const packages: readonly Case[] = [
  both(
    'a package without transport',
    documentWithPackage({ transport: undefined }),
    'error schema:required packages[0].transport',
  ),
  both(
    'a package of an unknown transport',
    documentWithPackage({ transport: { type: 'pigeon' } }),
    'error schema:enum packages[0].transport.type',
  ),
  softer(
    'a stdio package with URL',
    documentWithPackage({ transport: { type: 'stdio', url: 'http://localhost' } }),
    'transport-url packages[0].transport.url',
  ),
  both(
    'an HTTP package without URL',
    documentWithPackage({ transport: { type: 'sse' } }),
    'error schema:required packages[0].transport.url',
  ),
  softer(
    'a template name that nothing defines',
    documentWithPackage({ transport: http }),
    'template-name packages[0].transport.url',
  ),
  both(
    'a template name of an environment variable',
    documentWithPackage({ transport: http, environmentVariables: [{ name: 'port' }] }),
  ),
  both(
    'a template name of a flag',
    documentWithPackage({ transport: http, packageArguments: [{ type: 'named', name: '--port' }] }),
  ),
  both(
    'a template name of a value hint',
    documentWithPackage({ transport: http, packageArguments: [{ type: 'positional', valueHint: 'port' }] }),
  ),
  softer(
    'an identifier with a space',
    documentWithPackage({ identifier: 'my notes' }),
    'package-identifier packages[0].identifier',
  ),
  softer(
    'an MCPB without hash',
    documentWithPackage({ registryType: 'mcpb' }),
    'package-hash packages[0].fileSha256',
  ),
  both('an MCPB with hash', documentWithPackage({ registryType: 'mcpb', fileSha256: 'ab'.repeat(32) })),
  both(
    'a hash with capitals',
    documentWithPackage({ fileSha256: 'AB'.repeat(32) }),
    'error schema:pattern packages[0].fileSha256',
  ),
  both(
    'a positional argument without value and hint',
    positional({}),
    'error schema:anyOf packages[0].packageArguments[0]',
  ),
  both('a positional argument with value', positional({ value: 'x' })),
  both(
    'an argument without type',
    documentWithPackage({ packageArguments: [{ value: 'x' }] }),
    'error schema:required packages[0].packageArguments[0].type',
  ),
  both(
    'a named argument without name',
    named({ value: 'x' }),
    'error schema:required packages[0].packageArguments[0].name',
  ),
  softer(
    'named argument --dir <path>',
    named({ name: '--dir <path>' }),
    'argument-name packages[0].packageArguments[0].name',
  ),
  softer(
    'a named argument with an empty name',
    named({ name: '' }),
    'argument-name packages[0].packageArguments[0].name',
  ),
  softer(
    'named argument --port with value --port 80',
    named({ name: '--port', value: '--port 80' }),
    'argument-value packages[0].packageArguments[0].value',
  ),
  softer(
    'named argument --port with default --port=80',
    named({ name: '--port', default: '--port=80' }),
    'argument-value packages[0].packageArguments[0].default',
  ),
  both('named argument --port with value 80', named({ name: '--port', value: '80' })),
  {
    title: 'runtime arguments without hint',
    document: documentWithPackage({ runtimeArguments: [{ type: 'named', name: '-y' }] }),
    publish: ['warning runtime-hint packages[0].runtimeHint'],
    sync: [],
  },
];

const REMOTE_URL = 'remotes[0].url';
const tenant = 'https://{tenant}.acme.example/mcp';
const remotes: readonly Case[] = [
  both('an https remote', documentWithRemote()),
  ...[
    'http://mcp.acme.example',
    'https://localhost/mcp',
    'https://a.localhost/mcp',
    'https://127.0.0.1/mcp',
    'https://127.1/mcp',
    'https://[::1]/mcp',
    'https://localhost./mcp',
  ].map((url) => softer(`remote ${url}`, documentWithRemote({ url }), `remote-address ${REMOTE_URL}`)),
  both('a remote of type stdio', documentWithRemote({ type: 'stdio' }), 'error schema:enum remotes[0].type'),
  both(
    'a remote without URL',
    documentWithRemote({ url: undefined }),
    'error schema:required remotes[0].url',
  ),
  both(
    'a remote with a space in its URL',
    documentWithRemote({ url: 'https://a b' }),
    'error schema:pattern remotes[0].url',
  ),
  both(
    'a template name that variables explain',
    documentWithRemote({ url: tenant, variables: { tenant: { description: 'Tenant' } } }),
  ),
  softer(
    'a template name that nothing explains',
    documentWithRemote({ url: tenant }),
    `template-name ${REMOTE_URL}`,
  ),
  advised(
    'a header with a name that nothing explains',
    documentWithRemote({ headers: [{ name: 'Authorization', value: 'Bearer {key}', isSecret: true }] }),
    'value-name remotes[0].headers[0].value',
  ),
  both(
    'a header with a name that variables explain',
    documentWithRemote({ headers: [{ name: 'A', value: 'Bearer {key}', variables: { key: {} } }] }),
  ),
  both(
    'a header with braces that are no names',
    documentWithRemote({ headers: [{ name: 'A', value: '{"a":1} ${HOME} {{x}} {} {0}' }] }),
  ),
  ...(['environmentVariables', 'packageArguments', 'runtimeArguments'] as const).map((list) =>
    advised(
      `a value of ${list} with a name that nothing explains`,
      documentWithPackage({
        runtimeHint: 'docker',
        [list]: [{ type: 'named', name: '-e', value: 'A={key}' }],
      }),
      `value-name packages[0].${list}[0].value`,
    ),
  ),
  softer(
    'a template name that every object inherits',
    documentWithRemote({ url: 'https://acme.example/{constructor}', variables: {} }),
    `template-name ${REMOTE_URL}`,
  ),
];

const PROVIDED = 'io.modelcontextprotocol.registry/publisher-provided';
const others: readonly Case[] = [
  both('_meta with an unknown key', serverDocument({ _meta: { 'com.acme/own': { a: 1 } } })),
  both('_meta that is a list', serverDocument({ _meta: [] }), 'error schema:type _meta'),
  softer(
    'metadata that is too large',
    serverDocument({ _meta: { [PROVIDED]: { a: 'x'.repeat(300_000) } } }),
    `metadata-size _meta["${PROVIDED}"]`,
  ),
  both('unknown members', serverDocument({ vendor: { any: ['thing'] } })),
  both('null', null, 'error schema:type '),
  both('a list', [], 'error schema:type '),
];

describe('validateServerDocument', () => {
  for (const { title, document, publish, sync = [] } of [
    reported,
    names,
    versions,
    schemas,
    texts,
    repositories,
    packages,
    remotes,
    others,
  ].flat()) {
    it(`validates ${title}`, () => {
      const plain: unknown = JSON.parse(JSON.stringify(document));
      const expectedOfSync =
        title === 'null' || title === 'a list' ? [...sync, 'warning schema-known $schema'] : sync;
      const expectedOfPublish =
        title === 'null' || title === 'a list'
          ? ['error schema:type ', 'error schema-known $schema']
          : publish;
      expect(brief(validateServerDocument(plain, 'publish'))).to.deep.equal(expectedOfPublish);
      expect(brief(validateServerDocument(plain, 'sync'))).to.deep.equal(expectedOfSync);
    });
  }

  it('reports every issue at once, errors first', () => {
    const document = serverDocument({
      name: 'acme/x',
      description: '',
      version: 'latest',
      title: ' ',
      packages: [{ registryType: 'npm' }],
      remotes: [{ type: 'sse', url: 'https://localhost/{a}' }],
    });
    expect(brief(validateServerDocument(document, 'publish'))).to.have.members([
      'error schema:minLength description',
      'error schema:required packages[0].identifier',
      'error schema:required packages[0].transport',
      'error version-concrete version',
      'error title-blank title',
      'error remote-address remotes[0].url',
      'warning name-short-part name',
    ]);
  });

  it('uses the metadata limit of the caller', () => {
    const document = serverDocument({ _meta: { [PROVIDED]: { a: 'x'.repeat(5000) } } });
    expect(validateServerDocument(document, 'publish')).to.deep.equal([]);
    expect(brief(validateServerDocument(document, 'publish', { maxMetadataBytes: 4096 }))).to.deep.equal([
      `error metadata-size _meta["${PROVIDED}"]`,
    ]);
  });

  const messages = [
    { document: serverDocument({ version: undefined }), message: 'found nothing; expected a string' },
    { document: serverDocument({ name: ['a'] }), message: 'found an array; expected a string' },
    {
      document: serverDocument({ name: 'acme' }),
      message: 'found "acme"; expected a namespace, one slash and a name, as in "com.acme/notes"',
    },
    { document: serverDocument({ name: '.acme/x' }), message: '".acme/x" has a wrong part before the slash' },
    {
      document: serverDocument({ description: 'x'.repeat(101) }),
      message: 'found 101 characters; expected at most 100',
    },
    { document: serverDocument({ name: 'a' }), message: 'found 1 character; expected at least 3' },
    { document: serverDocument({ websiteUrl: 'acme' }), message: 'found "acme"; expected an absolute URI' },
    {
      document: documentWithPackage({ transport: { type: 'x' } }),
      message: 'found "x"; expected one of "stdio", "streamable-http", "sse"',
    },
    { document: documentWithPackage({ transport: undefined }), message: 'found nothing; expected an object' },
    { document: positional({}), message: 'found neither; expected `value` or `valueHint`' },
    {
      document: documentWithRemote({ url: 'https://{a}.x/{b}', variables: { b: {} } }),
      message: 'found "{a}" in it',
    },
  ];
  for (const { document, message } of messages) {
    it(`reports: ${message}`, () => {
      const issues = validateServerDocument(JSON.parse(JSON.stringify(document)), 'publish');
      expect(issues[0]?.message).to.contain(message);
    });
  }

  const transports: readonly {
    readonly transport: object;
    readonly added: readonly string[] | 'any' | undefined;
    readonly issues: readonly string[];
  }[] = [
    { transport: { type: 'echoes' }, added: ['echoes'], issues: [] },
    { transport: { type: 'echoes' }, added: 'any', issues: [] },
    { transport: { type: 'echoes', url: 'http://localhost:8080/mcp' }, added: ['echoes'], issues: [] },
    {
      transport: { type: 'echoes', url: 'ftp://x' },
      added: ['echoes'],
      issues: ['error schema:pattern packages[0].transport.url'],
    },
    {
      transport: { type: 'echo' },
      added: ['echoes'],
      issues: ['error schema:enum packages[0].transport.type'],
    },
    {
      transport: { type: 'echoes' },
      added: undefined,
      issues: ['error schema:enum packages[0].transport.type'],
    },
    {
      transport: { type: 'no name' },
      added: 'any',
      issues: ['error schema:enum packages[0].transport.type'],
    },
    { transport: { type: 7 }, added: 'any', issues: ['error schema:enum packages[0].transport.type'] },
    {
      transport: { type: 'sse' },
      added: ['sse'],
      issues: ['error schema:required packages[0].transport.url'],
    },
  ];
  for (const { transport, added, issues } of transports) {
    it(`reports ${issues.join() || 'nothing'} for ${JSON.stringify(transport)} with the added transports ${added?.toString() ?? 'nothing'}`, () => {
      const document = documentWithPackage({ transport });
      for (const strength of ['publish', 'sync'] as const)
        expect(brief(validateServerDocument(document, strength, { transports: added }))).to.deep.equal(
          issues,
        );
    });
  }

  it('accepts an added transport only for packages, not for remotes', () => {
    const document = documentWithRemote({ type: 'echoes' });
    expect(brief(validateServerDocument(document, 'sync', { transports: ['echoes'] }))).to.deep.equal([
      'error schema:enum remotes[0].type',
    ]);
  });

  it('truncates long values in its messages', () => {
    const document = serverDocument({
      version: `^${'1'.repeat(200)}`,
      websiteUrl: `x${'y'.repeat(100_000)}`,
    });
    for (const { message } of validateServerDocument(document, 'publish'))
      expect(message.length).to.be.lessThan(200);
  });

  it('reports at most a hundred issues and counts the rest', () => {
    const icons = Array.from({ length: 300 }, () => ({ src: 'http://acme.example/i.png' }));
    const issues = validateServerDocument(serverDocument({ icons, version: 'latest' }), 'sync');
    expect(issues).to.have.lengthOf(101);
    expect(issues[0]).to.have.property('reference', 'version-concrete');
    expect(issues.at(-1)).to.have.property('message', 'has 201 more problems, which are left out here');
  });

  it('counts an error beyond the limit as an error', () => {
    const wrong = { src: 'http://acme.example/i.png' };
    const document = documentWithPackage({ version: '^1' });
    const icons = Array.from({ length: 300 }, () => wrong);
    const issues = validateServerDocument({ ...document, icons }, 'sync');
    expect(issues[0]).to.include({
      severity: 'error',
      message: 'has 201 more problems, which are left out here',
    });
  });

  it('reports only the first structural fault of a very large document', () => {
    const issues = validateServerDocument(
      serverDocument({ icons: Array.from({ length: 50_000 }, () => 1) }),
      'publish',
    );
    expect(brief(issues)).to.deep.equal(['error schema:type icons[0]']);
  });

  it('rejects nesting above the limit and a circular document', () => {
    let deep: unknown = 1;
    for (let level = 0; level < 65; level++) deep = [deep];
    const circle: Record<string, unknown> = serverDocument();
    circle['self'] = circle;
    for (const document of [deep, circle]) {
      expect(brief(validateServerDocument(document, 'sync'))).to.deep.equal(['error document-size ']);
    }
  });
});

describe('validateSkillDocument', () => {
  const cases: readonly Case[] = [
    both('a plain skill', skillDocument()),
    both(
      'a full skill',
      skillDocument({
        title: 'Triage',
        status: 'ACTIVE',
        license: 'Apache-2.0',
        compatibility: 'git',
        allowedTools: ['Read'],
        repository: {},
        icons: [{ src: 'icon.png' }],
        packages: [
          { registryType: 'git', url: 'https://github.com/acme/skills', ref: 'v0.3.0' },
          { registryType: 'oci', identifier: 'ghcr.io/acme/triage:0.3.0' },
        ],
        provenance: { signer_identity: '' },
      }),
    ),
    ...['Active', 'deprecated', 'ARCHIVED'].map((status) =>
      both(`status ${status}`, skillDocument({ status })),
    ),
    both('status gone', skillDocument({ status: 'gone' }), 'error skill-status status'),
    both('a namespace with a slash', skillDocument({ namespace: 'com/acme' }), 'error name-format namespace'),
    both('a short namespace', skillDocument({ namespace: 'ab' }), 'error schema:minLength namespace'),
    both('a name with capitals', skillDocument({ name: 'Triage' }), 'error schema:pattern name'),
    both('version latest', skillDocument({ version: 'latest' }), VERSION),
    both('an empty version', skillDocument({ version: '' }), 'error schema:minLength version'),
    both('a commit as version', skillDocument({ version: '9f1c2d7' })),
    both(
      'a package of type npm',
      skillDocument({ packages: [{ registryType: 'npm' }] }),
      'error schema:enum packages[0].registryType',
    ),
    both(
      'the same tool twice',
      skillDocument({ allowedTools: ['Read', 'Read'] }),
      'error schema:uniqueItems allowedTools',
    ),
    both(
      'a misspelled provenance',
      skillDocument({ provenance: { signer: 'x' } }),
      'error schema:additionalProperties provenance',
    ),
  ];
  for (const { title, document, publish, sync } of cases) {
    it(`validates ${title}`, () => {
      expect(brief(validateSkillDocument(document, 'publish'))).to.deep.equal(publish);
      expect(brief(validateSkillDocument(document, 'sync'))).to.deep.equal(sync);
    });
  }
});

describe('validatePluginDocument', () => {
  it('accepts the form of a skill, and ignores allowedTools', () => {
    expect(validatePluginDocument(skillDocument({ allowedTools: 1 }), 'publish')).to.deep.equal([]);
    expect(brief(validatePluginDocument(skillDocument({ name: undefined }), 'publish'))).to.deep.equal([
      'error schema:required name',
    ]);
  });
});

/** Names that mean something somewhere, so that random documents reach the rules. */
const MEMBERS = [
  '$schema name description version title websiteUrl repository icons packages remotes _meta namespace status',
  'allowedTools __proto__ constructor transport url type packageArguments environmentVariables variables',
  `identifier source subfolder src registryType value default ${PROVIDED}`,
].flatMap((line) => line.split(' '));

describe('validateEntryDocument', () => {
  it('never throws on any JSON value, and is at least as strict for a publish as for a sync', () => {
    const member = fc.constantFrom(...MEMBERS);
    const text = fc.oneof(
      fc.string(),
      fc.constantFrom('stdio', 'sse', 'named', 'positional', 'npm', 'mcpb', 'https://{a}.x/', 'a/b', '1.0'),
    );
    const { node } = fc.letrec((tie) => ({
      node: fc.oneof(
        { depthSize: 'small' },
        text,
        fc.jsonValue({ maxDepth: 1 }),
        fc.array(tie('node'), { maxLength: 3 }),
        fc.dictionary(member, tie('node')),
      ),
    }));
    fc.assert(
      fc.property(
        fc.constantFrom(...ENTRY_TYPES),
        fc.oneof(node, fc.dictionary(member, node)),
        (type, document) => {
          const errorsOf = (strength: Strength) =>
            validateEntryDocument(type, document, strength).filter((issue) => issue.severity === 'error')
              .length;
          expect(errorsOf('publish')).to.be.at.least(errorsOf('sync'));
        },
      ),
      trials({ short: 500 }),
    );
  });

  it('has valid JSON schemas', () => {
    const ajv = new Ajv2020({ strictSchema: false });
    for (const schema of Object.values(DOCUMENT_SCHEMAS)) expect(ajv.validateSchema(schema)).to.equal(true);
  });

  it('exports its schemas as plain JSON', () => {
    expect(JSON.parse(JSON.stringify(DOCUMENT_SCHEMAS))).to.deep.equal(DOCUMENT_SCHEMAS);
  });
});

function issueAt(path: string): DocumentIssue {
  return { type: 'schema', path, message: 'found nothing', severity: 'error', reference: 'schema:type' };
}

describe('printIssues', () => {
  it('prints three issues and counts the rest', () => {
    expect(printIssues([issueAt('name')])).to.equal('name: found nothing.');
    expect(printIssues([issueAt(''), issueAt('a'), issueAt('b'), issueAt('c'), issueAt('d')])).to.equal(
      'found nothing. a: found nothing. b: found nothing. And 2 more.',
    );
  });
});
