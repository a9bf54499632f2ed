import type { JsonObject } from '@portolan/plugin-api';
import { validateServerDocument } from '@portolan/entry-format';
import { expect } from 'chai';
import fc from 'fast-check';
import { mapOf } from '../src/objects/cluster-object.ts';
import { chooseOffers } from '../src/objects/choose-offers.ts';
import { markOf, type Offer, offerOf } from '../src/objects/offer.ts';
import { RESOURCES, type ResourceName } from '../src/objects/resource.ts';
import { custom, exported, httpRoute, ingress, OTHER_PREFIX, PREFIX, service } from './support/objects.ts';
import { trials } from '../../../test/support/soak.ts';

const URL_OF_NOTES = 'https://notes.acme.example/mcp';

/** What an object offers, as if the cluster had given it a uid. */
function offer(name: ResourceName, object: JsonObject): Offer | undefined {
  const resource = RESOURCES.find((one) => one.name === name);
  if (resource === undefined) throw new Error(`no resource ${name}`);
  const metadata = { uid: 'u-1', ...mapOf(object['metadata']) };
  return offerOf(
    { ...object, metadata },
    { resource, root: resource.roots[0] ?? '', namePrefix: 'com.toolhive.k8s' },
  );
}

function entryOf(name: ResourceName, object: JsonObject): JsonObject {
  const content = offer(name, object)?.content;
  if (content === undefined || !('entry' in content)) throw new Error(`hidden: ${JSON.stringify(content)}`);
  return mapOf(content.entry.document);
}

function extensionOf(document: JsonObject): JsonObject {
  const publisher = mapOf(mapOf(document['_meta'])['io.modelcontextprotocol.registry/publisher-provided']);
  return mapOf(mapOf(publisher['io.github.stacklok'])[URL_OF_NOTES]);
}

const hiddenBecause = (annotations: Record<string, string>): string | undefined => {
  const content = offer('services', service('notes', { annotations }))?.content;
  return content !== undefined && 'because' in content ? content.because : undefined;
};

describe('offerOf', () => {
  it("creates the same entry as ToolHive's registry from an MCPServer, and a valid server document", () => {
    const annotations = exported({
      'registry-title': 'Notes',
      'registry-icon': 'https://acme.example/notes.png',
      'registry-category': 'productivity',
      'registry-version': '2.1.0',
      tools: '["add","find"]',
      'tool-definitions': '[{"name":"add","description":"Adds one."}]',
      'authz-claims': '{"org":"acme","team":["eng","data"]}',
    });
    const spec = { image: 'ghcr.io/acme/notes:1.4.0', transport: 'stdio' };
    const object = custom('MCPServer', 'notes', { annotations, spec });
    const content = offer('mcpservers', object)?.content;
    const entry = content !== undefined && 'entry' in content ? content.entry : undefined;
    const kubernetes = {
      kind: 'MCPServer',
      namespace: 'team-a',
      name: 'notes',
      image: 'ghcr.io/acme/notes:1.4.0',
      uid: 'u-1',
      transport: 'stdio',
    };
    const extension = {
      status: 'active',
      tags: ['productivity'],
      tools: ['add', 'find'],
      tool_definitions: [{ name: 'add', description: 'Adds one.' }],
      metadata: { kubernetes },
    };
    expect(entry).to.deep.equal({
      type: 'server',
      document: {
        $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
        name: 'com.toolhive.k8s.team-a/notes',
        description: 'Keeps notes.',
        title: 'Notes',
        version: '2.1.0',
        icons: [{ src: 'https://acme.example/notes.png' }],
        packages: [
          { registryType: 'oci', identifier: 'ghcr.io/acme/notes:1.4.0', transport: { type: 'stdio' } },
        ],
        remotes: [{ type: 'streamable-http', url: URL_OF_NOTES }],
        _meta: {
          'io.modelcontextprotocol.registry/publisher-provided': {
            'io.github.stacklok': { [URL_OF_NOTES]: extension },
          },
        },
      },
      claims: { org: 'acme', team: ['eng', 'data'] },
      place: 'MCPServer team-a/notes',
      scope: 'team-a',
    });
    expect(validateServerDocument(entry?.document, 'publish')).to.deep.equal([]);
  });

  it('keeps all claims, with any name', () => {
    const annotations = exported({ 'authz-claims': '{"__proto__":["acme"],"constructor":"acme"}' });
    const content = offer('services', service('notes', { annotations }))?.content;
    const claims = content !== undefined && 'entry' in content ? content.entry.claims : undefined;
    expect(Object.entries(claims ?? {})).to.deep.equal([
      ['__proto__', ['acme']],
      ['constructor', 'acme'],
    ]);
  });

  it('has no package and no claims when the object has none', () => {
    const content = offer('services', service('notes'))?.content;
    expect(content).to.have.nested.property('entry.claims').that.deep.equals({});
    expect(content).to.not.have.nested.property('entry.document.packages');
  });

  describe('version', () => {
    const cases = [
      { annotated: '3.2.1', image: 'acme/notes:1.0.1', version: '3.2.1' },
      { annotated: 'v3', image: 'acme/notes:1.0.1', version: '1.0.1' },
      { annotated: undefined, image: 'acme/notes:1.0.1', version: '1.0.1' },
      { annotated: undefined, image: 'registry.acme.example:5000/notes:2.0.0@sha256:abc', version: '2.0.0' },
      { annotated: undefined, image: 'registry.acme.example:5000/notes', version: '1.0.0' },
      { annotated: undefined, image: 'acme/notes:latest', version: '1.0.0' },
      { annotated: undefined, image: 'acme/notes@sha256:1.2.3', version: '1.0.0' },
      { annotated: '1.2', image: undefined, version: '1.0.0' },
    ];
    for (const { annotated, image, version } of cases) {
      it(`is ${version} for the annotation ${annotated} and the image ${image}`, () => {
        const annotations = exported(annotated === undefined ? {} : { 'registry-version': annotated });
        const spec = image === undefined ? {} : { image };
        const document = entryOf('mcpservers', custom('MCPServer', 'notes', { annotations, spec }));
        expect(document['version']).to.equal(version);
      });
    }
  });

  it('sets the local URL of a package whose transport is SSE', () => {
    const spec = { image: 'acme/notes:1.0.0', transport: 'sse', proxyPort: 8080, mcpPort: 9000 };
    const document = entryOf('mcpservers', custom('MCPServer', 'notes', { spec }));
    expect(document).to.have.nested.property('packages[0].transport').that.deep.equals({
      type: 'sse',
      url: 'http://localhost:9000',
    });
  });

  it('omits a package with an unknown transport', () => {
    const spec = { image: 'acme/notes:1.0.0', transport: 'carrier-pigeon' };
    expect(entryOf('mcpservers', custom('MCPServer', 'notes', { spec }))).to.not.have.property('packages');
  });

  it('truncates a long description, and keeps the complete one in the metadata', () => {
    const long = 'ä'.repeat(150);
    const document = entryOf(
      'services',
      service('notes', { annotations: exported({ 'registry-description': long }) }),
    );
    expect(document['description']).to.equal('ä'.repeat(100));
    expect(extensionOf(document)['overview']).to.equal(long);
  });

  it('reads both annotation prefixes, and prefers portolan.dev/', () => {
    const annotations = {
      ...exported({ 'registry-title': 'Theirs', 'registry-version': '9.9.9' }, OTHER_PREFIX),
      ...exported({ 'registry-title': 'Ours' }),
    };
    const document = entryOf('services', service('notes', { annotations }));
    expect([document['title'], document['version']]).to.deep.equal(['Ours', '9.9.9']);
    const optedOut = { ...annotations, [`${PREFIX}registry-export`]: 'false' };
    expect(offer('services', service('notes', { annotations: optedOut })), 'opted out').to.equal(undefined);
  });

  // registry-api.md 13.2: in the reference the flag only filters events, and a list takes every object with URL and description.
  it('requires opt-in, whatever other annotations exist', () => {
    const { [`${PREFIX}registry-export`]: _, ...others } = exported();
    for (const annotations of [others, exported({ 'registry-export': 'false' }), {}])
      expect(offer('services', service('notes', { annotations }))).to.equal(undefined);
  });

  describe('hidden objects', () => {
    const cases: readonly {
      readonly title: string;
      readonly with: Record<string, string>;
      readonly because: string;
    }[] = [
      {
        title: 'an opt-in that is no answer',
        with: { 'registry-export': 'True' },
        because: 'The annotation portolan.dev/registry-export is neither "true" nor "false".',
      },
      {
        title: 'an empty URL',
        with: { 'registry-url': '' },
        because: 'The annotation portolan.dev/registry-url is missing.',
      },
      {
        title: 'a URL that is none',
        with: { 'registry-url': 'notes' },
        because: 'The annotation portolan.dev/registry-url is no absolute https or http address.',
      },
      {
        title: 'a URL of another protocol',
        with: { 'registry-url': 'javascript:alert(1)' },
        because: 'The annotation portolan.dev/registry-url is no absolute https or http address.',
      },
      {
        title: 'a password in its URL',
        with: { 'registry-url': 'https://ada:s3cret@acme.example' },
        because:
          'The annotation portolan.dev/registry-url is an address with a user or a password, which everybody would see.',
      },
      {
        title: 'a blank description',
        with: { 'registry-description': ' ' },
        because: 'The annotation portolan.dev/registry-description is missing.',
      },
      {
        title: 'an icon over http',
        with: { 'registry-icon': 'http://acme.example/i.png' },
        because: 'The annotation portolan.dev/registry-icon is no absolute https address.',
      },
      {
        title: 'tools that are no JSON',
        with: { tools: 'add, find' },
        because: 'The annotation portolan.dev/tools is not JSON.',
      },
      {
        title: 'tools that are no list',
        with: { tools: '{}' },
        because: 'The annotation portolan.dev/tools is not a JSON list.',
      },
      {
        title: 'tools that are no texts',
        with: { tools: '[1]' },
        because: 'The annotation portolan.dev/tools is not a list of strings.',
      },
      {
        title: 'definitions without names',
        with: { 'tool-definitions': '[{}]' },
        because: 'The annotation portolan.dev/tool-definitions is not a list of tools with names.',
      },
      {
        title: 'claims that are no JSON',
        with: { 'authz-claims': 'org=acme s3cret' },
        because: 'The annotation portolan.dev/authz-claims is not JSON.',
      },
      {
        title: 'claims that are a list',
        with: { 'authz-claims': '["s3cret"]' },
        because: 'The annotation portolan.dev/authz-claims is not a JSON object.',
      },
      {
        title: 'a claim that is a number',
        with: { 'authz-claims': '{"org":1}' },
        because:
          'The annotation portolan.dev/authz-claims is an object with a claim that is neither a text nor a list of texts.',
      },
    ];
    for (const { title, with: more, because } of cases) {
      it(title, () => {
        expect(hiddenBecause(exported(more))).to.equal(because);
        expect(because).to.not.include('s3cret');
      });
    }

    it('hides an object with definitions nested too deep', () => {
      const deep = `[{"name":"add","inputSchema":${'['.repeat(100_000)}${']'.repeat(100_000)}}]`;
      expect(hiddenBecause(exported({ 'tool-definitions': deep }))).to.equal(
        'The annotation portolan.dev/tool-definitions is nested in more than 50 steps.',
      );
    });

    it('hides an object without a URL', () => {
      const { [`${PREFIX}registry-url`]: _, ...others } = exported();
      expect(hiddenBecause(others)).to.equal('The annotation portolan.dev/registry-url is missing.');
    });

    it('names the prefix of the broken annotation in the reason', () => {
      expect(hiddenBecause(exported({ tools: '1' }, OTHER_PREFIX))).to.equal(
        'The annotation toolhive.stacklok.dev/tools is not a JSON list.',
      );
    });

    it('hides an object whose name exceeds the maximum', () => {
      const content = offer('mcpservers', custom('MCPServer', 'n'.repeat(190)))?.content;
      expect(content)
        .to.have.property('because')
        .that.matches(/would have 214 characters; at most 200/);
    });
  });

  it('accepts any annotation value, and shows none in a reason', () => {
    const names = [
      'registry-export',
      'registry-url',
      'registry-version',
      'tools',
      'tool-definitions',
      'authz-claims',
    ];
    const value = fc.oneof(fc.string(), fc.json(), fc.constant('true'), fc.webUrl());
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...names), value), (values) => {
        const annotations = exported({ ...values, 'registry-title': 'zebra-zebra' });
        const content = offer('services', service('notes', { annotations }))?.content;
        if (content !== undefined && 'because' in content)
          expect(content.because).to.not.include('zebra-zebra');
      }),
      trials({ short: 300 }),
    );
  });

  it('ignores values that are not objects', () => {
    for (const item of [
      null,
      'x',
      {},
      { metadata: { name: 'a' } },
      { metadata: { name: 'a', namespace: 'b', uid: 1 } },
    ]) {
      const resource = RESOURCES[0];
      if (resource === undefined) throw new Error('no resources');
      expect(offerOf(item, { resource, root: '', namePrefix: 'a' })).to.equal(undefined);
    }
  });
});

describe('markOf', () => {
  it('is unchanged when only status or labels change, and changes with the entry', () => {
    const of = (object: JsonObject): string => {
      const found = offer('services', object);
      if (found === undefined) throw new Error('not opted in');
      return markOf(found);
    };
    const before = of(service('notes'));
    expect(of({ ...service('notes', { labels: { a: 'b' } }), status: { replicas: 3 } })).to.equal(before);
    expect(of(service('notes', { annotations: exported({ 'authz-claims': '{"org":"a"}' }) }))).to.not.equal(
      before,
    );
    expect(of(service('notes', { annotations: exported({ tools: '1' }) }))).to.not.equal(before);
  });
});

describe('chooseOffers', () => {
  const all = (): readonly Offer[] =>
    [
      offer('services', service('notes')),
      offer('ingresses', ingress('notes')),
      offer('httproutes', httpRoute('notes')),
      offer('mcpremoteproxies', custom('MCPRemoteProxy', 'notes')),
      offer('virtualmcpservers', custom('VirtualMCPServer', 'notes')),
      offer('mcpservers', custom('MCPServer', 'notes')),
    ].filter((one) => one !== undefined);

  it('prefers a custom resource to HTTPRoute, Ingress and Service, and reports why the others are left out', () => {
    const order = ['MCPServer', 'VirtualMCPServer', 'MCPRemoteProxy', 'HTTPRoute', 'Ingress', 'Service'];
    let left = [...all()];
    for (const [index, kind] of order.entries()) {
      const [first, ...others] = chooseOffers(left);
      expect(first).to.have.property('place', `${kind} team-a/notes`);
      expect(others).to.deep.equal(
        order.slice(index + 1).map((other) => ({
          skipped: `${other} team-a/notes`,
          because: `${kind} team-a/notes gives the same name, and a ${kind} comes before it.`,
          scope: 'team-a',
          entry: { type: 'server', name: 'com.toolhive.k8s.team-a/notes' },
        })),
      );
      left = left.filter(({ resource }) => resource.kind !== kind);
    }
  });

  it('does not replace a broken object by another one of its name, because its claims are unknown', () => {
    const broken = offer('ingresses', ingress('notes', { annotations: exported({ 'authz-claims': '?' }) }));
    const whole = offer('services', service('notes'));
    const chosen = chooseOffers([whole, broken].filter((one) => one !== undefined));
    expect(chosen.map((one) => ('skipped' in one ? one.skipped : 'an entry'))).to.deep.equal([
      'Ingress team-a/notes',
      'Service team-a/notes',
    ]);
  });

  it("does not depend on the order of the cluster's events", () => {
    const offers = [...all(), offer('services', service('a')), offer('services', service('z'))].filter(
      (one) => one !== undefined,
    );
    const expected = chooseOffers(offers);
    fc.assert(
      fc.property(fc.shuffledSubarray(offers, { minLength: offers.length }), (shuffled) => {
        expect(chooseOffers(shuffled)).to.deep.equal(expected);
      }),
      { numRuns: 50 },
    );
  });
});
