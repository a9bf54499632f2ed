import { DOCUMENT_SCHEMAS, PUBLISHER_PROVIDED, STACKLOK } from '@portolan/entry-format';
import { isPortolanError, type JsonObject } from '@portolan/plugin-api';
import { expect } from 'chai';
import { parseProvenance } from '../../../packages/image-verification/src/provenance.ts';
import { describeServer } from '../../../packages/registry-client/src/lookup/describe-server.ts';
import { previewEntryDemands } from '../../../packages/run-spec/src/consent/entry-demands.ts';
import { readServerSettings } from '../../../packages/run-spec/src/registry-entry/read-server-settings.ts';
import { entryAuth } from '../../../packages/run-spec/src/settings/entry-auth.ts';
import { schemaPaths } from './schema-paths.ts';
import { recordReads } from './record-reads.ts';
import { ENTRY_FIELDS } from '../../../packages/run-spec/src/registry-entry/entry-fields.ts';
import { documentPath, DOCUMENTS, IMAGE, OPENINGS, URL_TEXT, withField } from './entry-field-rows.ts';

const HOSTILE: readonly unknown[] = [
  '/var/run/docker.sock:/s',
  'http://169.254.169.254/latest',
  '~/.ssh/id_ed25519',
  '${HOME}',
  'host',
  true,
  8666,
  { mode: 'host' },
  ['/:/host'],
];

/** Reads a document like a run, a plan and the verification of its image. */
function read(document: JsonObject): ReturnType<typeof readServerSettings> {
  const settings = readServerSettings(document);
  entryAuth(settings.oauthConfig, {});
  parseProvenance(settings.provenance);
  describeServer({ document, status: 'active', statusMessage: undefined });
  return settings;
}

function linesOf(document: JsonObject): readonly string[] {
  const { grants, refusals } = previewEntryDemands(read(document));
  return [...grants.map(({ line }) => line), ...refusals.map(({ setting }) => `refused ${setting}`)];
}

/** Returns no line for an entry that cannot be run. */
function linesIfRunnable(document: JsonObject): readonly string[] {
  try {
    return linesOf(document);
  } catch (error) {
    if (isPortolanError(error)) return [];
    throw error;
  }
}

/**
 * Returns the path of a field in the form of the table: the extension object is `publisher`, and names in
 * maps are `*`.
 */
function tablePath(path: string): string {
  const vendor = `_meta.${PUBLISHER_PROVIDED}.${STACKLOK}.`;
  const key = [IMAGE, URL_TEXT, '@acme/notes', 'notes'].find((one) => path.startsWith(vendor + one)) ?? '';
  return path
    .replace(vendor + key, '_meta.publisher')
    .replace(`_meta.${PUBLISHER_PROVIDED}.dev.portolan`, '_meta.portolan')
    .replace('.variables.V', '.variables.*')
    .replace('.oauth_params.prompt', '.oauth_params.*');
}

/** Returns the documents with the field. A field of a secret input needs a template that uses it. */
function documentsWith(path: string, field: unknown): readonly JsonObject[] {
  const [part] = path.split('.');
  const parent = path.replace(/\.[^.]+$/, '');
  const isVariable = parent.endsWith('.variables.*') && !parent.startsWith('remotes.*.variables');
  return DOCUMENTS.filter((document) => part === '_meta' || part === undefined || part in document).map(
    (document) => {
      let changed: unknown = document;
      if (isVariable) {
        changed = withField(changed, documentPath(parent.replace(/\.variables\.\*$/, '.value')), 'a={V}:/b');
      }
      if (parent === 'remotes.*.variables.*') {
        changed = withField(changed, documentPath('remotes.*.url'), `${URL_TEXT}?v={V}`);
      }
      // SAFETY: a changed member does not change the type of the object.
      return withField(changed, documentPath(path), field) as JsonObject;
    },
  );
}

describe('consent for fields of a registry entry', () => {
  it('has a table row for each field of the schema and each field that a run reads', () => {
    const reads = new Set<string>();
    for (const document of DOCUMENTS) read(recordReads(document, reads));
    const fields = new Set([
      ...schemaPaths(DOCUMENT_SCHEMAS.server).filter((path) => !path.startsWith('_meta')),
      ...[...reads].map(tablePath),
    ]);
    const known = Object.keys(ENTRY_FIELDS);
    const without = [...fields].filter(
      (field) => !known.some((row) => row === field || row.startsWith(`${field}.`)),
    );
    expect(without).to.deep.equal([]);
  });

  it('requires no consent for harmless values', () => {
    for (const document of DOCUMENTS) expect(linesOf(document)).to.deep.equal([]);
  });

  it('requires consent for each secret that a text refers to, or leaves the reference unresolved', () => {
    for (const path of Object.keys(ENTRY_FIELDS)) {
      if (OPENINGS[path] !== undefined) continue;
      for (const document of documentsWith(path, 'GITHUB_TOKEN,target=T')) {
        const others = linesIfRunnable(document).filter((line) => !line.startsWith('gives the secret '));
        expect(others, path).to.deep.equal([]);
      }
    }
  });

  it('states in each row whether the field needs consent', () => {
    const opening = Object.entries(ENTRY_FIELDS).flatMap(([path, { opens }]) => (opens ? [path] : []));
    expect(Object.keys(OPENINGS)).to.have.members(opening);
  });

  for (const path of Object.keys(ENTRY_FIELDS)) {
    const row = OPENINGS[path];
    if (row === undefined) {
      it(`${path} › needs no consent with any value`, () => {
        for (const hostile of HOSTILE) {
          for (const document of documentsWith(path, hostile)) {
            expect(linesIfRunnable(document)).to.deep.equal([]);
          }
        }
      });
    } else {
      it(`${path} › asks for consent or is refused when it opens something`, () => {
        const lines = documentsWith(path, row.value).flatMap(linesOf);
        expect(
          lines.filter((line) => row.brings.test(line)),
          lines.join('\n'),
        ).not.to.deep.equal([]);
      });
    }
  }

  const remote = (url: string, variables: JsonObject): JsonObject => ({
    name: 'com.acme/notes',
    version: '1.0.0',
    remotes: [{ type: 'streamable-http', url, variables }],
  });

  it('plan › requires the same consent as a run for an address with default values', () => {
    const local = { u: { default: 'http://127.0.0.1:42620/mcp' } };
    expect(linesOf(remote('{u}', local))).to.deep.equal(['connects to http://127.0.0.1:42620/mcp']);
    expect(linesOf(remote('https://{host}/mcp', { host: { default: 'mcp.acme.example' } }))).to.deep.equal(
      [],
    );
    expect(linesOf(remote('{scheme}://mcp.acme.example/mcp', { scheme: { default: 'http' } }))).to.deep.equal(
      ['connects to http://mcp.acme.example/mcp'],
    );
  });

  it('plan › treats an address with parts that the user enters as public', () => {
    for (const url of ['{u}', 'https://{u}/mcp', 'https://mcp.acme.example/{u}']) {
      expect(linesOf(remote(url, { u: { isRequired: true } })), url).to.deep.equal([]);
    }
  });

  it('plan › requires the same consent as a run for a secret in the address or in an argument', () => {
    const key = { key: { isRequired: true, isSecret: true } };
    expect(linesOf(remote('https://mcp.acme.example/mcp?k={key}', key))[0]).to.match(
      /^gives the secret key to https:\/\/mcp\.acme\.example/,
    );
    expect(linesOf(remote('https://{key}.acme.example/mcp', key))).to.include('refused remote_url');
    const argument = { type: 'positional', value: '--key={key}', variables: key };
    const entry = {
      name: 'com.acme/notes',
      version: '1.0.0',
      packages: [
        {
          registryType: 'oci',
          identifier: 'acme/notes:1',
          transport: { type: 'stdio' },
          packageArguments: [argument],
        },
      ],
    };
    expect(linesOf(entry)).to.deep.equal(['gives the secret key to the server acme/notes']);
  });
});
