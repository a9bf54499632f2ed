import { LATEST_SERVER_SCHEMA } from '@portolan/entry-format';
import fc from 'fast-check';

/** A row of a catalogue and its format. */
export interface CatalogueRow {
  readonly name: string;
  readonly version: string;
  /** `old` is the format before September 2025, in which the document contains its status. */
  readonly form: 'new' | 'old' | 'skill';
  readonly status: 'active' | 'deprecated' | 'deleted';
  /** Further changes of the row. */
  readonly note: number;
}

const PUBLISHER = 'io.modelcontextprotocol.registry/publisher-provided';
const OLD_SCHEMA = 'https://static.modelcontextprotocol.io/schemas/2025-07-09/server.schema.json';

/** Returns rows with these names. Each version occurs once. */
export function catalogueRows(
  names: readonly string[],
  versions: readonly string[],
): fc.Arbitrary<readonly CatalogueRow[]> {
  const row = fc.record({
    name: fc.constantFrom(...names),
    version: fc.constantFrom(...versions),
    form: fc.constantFrom('new' as const, 'old' as const, 'skill' as const),
    status: fc.constantFrom('active' as const, 'deprecated' as const, 'deleted' as const),
    note: fc.nat({ max: 3 }),
  });
  return fc.uniqueArray(row, { maxLength: 12, selector: ({ name, version }) => `${name}@${version}` });
}

/** Returns a catalogue with these rows below a namespace, and with the extensions of vendors. */
export function catalogueOf(namespace: string, rows: readonly CatalogueRow[]): string {
  const of = (form: (form: CatalogueRow['form']) => boolean) => rows.filter((row) => form(row.form));
  const servers = of((form) => form !== 'skill').map((row) => serverOf(namespace, row));
  const skills = of((form) => form === 'skill').map((row) => skillOf(namespace, row));
  return JSON.stringify({ version: '1.0.0', data: { servers, skills } });
}

function serverOf(namespace: string, { name, version, form, status, note }: CatalogueRow): object {
  const identifier = `ghcr.io/acme/${name}:${note}`;
  const common = { name: `${namespace}/${name}`, description: `Note ${note}`, version };
  if (form === 'old') {
    const packages = [{ registry_type: 'oci', identifier, version }];
    return { $schema: OLD_SCHEMA, ...common, status, packages };
  }
  // The extension of the reference server has no status `deleted`.
  const extension = {
    status: status === 'active' ? 'Active' : 'deprecated',
    tags: ['notes'],
    tier: 'Official',
  };
  return {
    $schema: LATEST_SERVER_SCHEMA,
    ...common,
    icons: [{ src: 'https://acme.example/icon.png', mimeType: 'image/png' }],
    packages: [{ registryType: 'oci', identifier, transport: { type: 'stdio' } }],
    _meta: {
      [PUBLISHER]: {
        'io.github.stacklok': { [identifier]: extension },
        'example.vendor': { note, deep: [1, { x: null }] },
      },
    },
  };
}

function skillOf(namespace: string, { name, version, status, note }: CatalogueRow): object {
  const statusText = status === 'deleted' ? 'ARCHIVED' : status;
  return {
    namespace,
    name,
    description: `Note ${note}`,
    version,
    status: statusText,
    _meta: { 'example.vendor': { note } },
  };
}
