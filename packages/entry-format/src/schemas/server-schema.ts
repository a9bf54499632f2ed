// oxlint-disable unicorn/no-thenable -- `then` is a keyword of JSON Schema
import type { DocumentSchema } from './document-schema.ts';
import { METADATA_SCHEMA, SUBFOLDER_TEXT, URI } from './shared-parts.ts';

const INPUT_PROPERTIES = {
  description: { type: 'string', description: 'What the value is for.' },
  isRequired: { type: 'boolean', default: false },
  format: { enum: ['string', 'number', 'boolean', 'filepath'], default: 'string' },
  value: {
    type: 'string',
    description: 'Fixed: users may not change it. `{name}` is replaced by a variable.',
  },
  isSecret: { type: 'boolean', default: false },
  default: { type: 'string' },
  placeholder: { type: 'string', description: 'An example for the user; not a value.' },
  choices: { type: 'array', items: { type: 'string' } },
} as const;

const VARIABLES = {
  type: 'object',
  description: 'Inputs by name, for `{name}` in a template.',
  additionalProperties: { $ref: '#/$defs/Input' },
} as const;

const HEADERS = { type: 'array', items: { $ref: '#/$defs/NamedInput' } } as const;

const HTTP_URL = {
  type: 'string',
  pattern: '^https?://[^\\s]+$',
  'x-expected': 'a URL that begins with http:// or https:// and has no white space',
} as const;

const FLAG = { type: 'string', description: 'The flag with its dashes.' } as const;
const VALUE_HINT = { type: 'string', description: 'Names the argument; not on the command line.' } as const;

export const PACKAGE_TRANSPORTS: readonly string[] = ['stdio', 'streamable-http', 'sse'];

/**
 * Structure of a server document (server.json of 2025-12-11, which also accepts earlier camelCase versions).
 * Objects are open. The rules check what a structure cannot express.
 */
export const SERVER_SCHEMA: DocumentSchema = {
  title: 'Server',
  description: 'One version of an MCP server: what it is, and how to reach or start it.',
  type: 'object',
  required: ['name', 'description', 'version'],
  properties: {
    $schema: { ...URI, description: 'Address of the server.json schema the document follows.' },
    name: {
      type: 'string',
      minLength: 3,
      maxLength: 200,
      pattern: '^[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+$',
      'x-expected': 'a namespace, one slash and a name, as in "com.acme/notes"',
      description: 'Reverse-DNS namespace, slash, name.',
    },
    description: { type: 'string', minLength: 1, maxLength: 100 },
    version: { type: 'string', maxLength: 255, description: 'One concrete version, best a semantic one.' },
    title: { type: 'string', minLength: 1, maxLength: 100 },
    websiteUrl: URI,
    repository: { $ref: '#/$defs/Repository' },
    icons: { type: 'array', items: { $ref: '#/$defs/Icon' } },
    packages: { type: 'array', items: { $ref: '#/$defs/Package' } },
    remotes: { type: 'array', items: { $ref: '#/$defs/Remote' } },
    _meta: METADATA_SCHEMA,
  },
  $defs: {
    Repository: {
      type: 'object',
      required: ['url', 'source'],
      properties: {
        url: URI,
        source: { type: 'string', description: 'The forge: `github`, `gitlab`.' },
        id: {
          type: 'string',
          description: "The forge's own id, which a re-created repository does not have.",
        },
        subfolder: SUBFOLDER_TEXT,
      },
    },
    Icon: {
      type: 'object',
      required: ['src'],
      properties: {
        src: { ...URI, maxLength: 255 },
        mimeType: { enum: ['image/png', 'image/jpeg', 'image/jpg', 'image/svg+xml', 'image/webp'] },
        sizes: {
          type: 'array',
          items: {
            type: 'string',
            pattern: '^([0-9]+x[0-9]+|any)$',
            'x-expected': '"any", or a size as "48x48"',
          },
        },
        theme: { enum: ['light', 'dark'] },
      },
    },
    Package: {
      type: 'object',
      required: ['registryType', 'identifier', 'transport'],
      properties: {
        registryType: { type: 'string', description: '`npm`, `pypi`, `oci`, `nuget`, `mcpb`, `cargo`.' },
        identifier: {
          type: 'string',
          description: 'Package name; image reference with tag or digest; download URL.',
        },
        transport: { $ref: '#/$defs/PackageTransport' },
        registryBaseUrl: URI,
        version: {
          type: 'string',
          minLength: 1,
          not: { const: 'latest' },
          'x-expected': 'one concrete version',
        },
        fileSha256: {
          type: 'string',
          pattern: '^[a-f0-9]{64}$',
          'x-expected': '64 hexadecimal digits in lower case',
        },
        runtimeHint: { type: 'string', description: '`npx`, `uvx`, `docker`, `dnx`.' },
        runtimeArguments: { type: 'array', items: { $ref: '#/$defs/Argument' } },
        packageArguments: { type: 'array', items: { $ref: '#/$defs/Argument' } },
        environmentVariables: { type: 'array', items: { $ref: '#/$defs/NamedInput' } },
      },
    },
    PackageTransport: {
      type: 'object',
      required: ['type'],
      properties: { type: { enum: PACKAGE_TRANSPORTS } },
      if: hasType('streamable-http', 'sse'),
      then: { required: ['url'], properties: { url: HTTP_URL, headers: HEADERS } },
    },
    Remote: {
      type: 'object',
      required: ['type', 'url'],
      properties: {
        type: { enum: ['streamable-http', 'sse'] },
        url: HTTP_URL,
        headers: HEADERS,
        variables: VARIABLES,
      },
    },
    Input: { type: 'object', properties: INPUT_PROPERTIES },
    NamedInput: {
      type: 'object',
      required: ['name'],
      properties: { ...INPUT_PROPERTIES, variables: VARIABLES, name: { type: 'string' } },
    },
    Argument: {
      type: 'object',
      required: ['type'],
      properties: {
        ...INPUT_PROPERTIES,
        variables: VARIABLES,
        type: { enum: ['positional', 'named'] },
        isRepeated: { type: 'boolean', default: false },
      },
      allOf: [
        { if: hasType('named'), then: { required: ['name'], properties: { name: FLAG } } },
        {
          if: hasType('positional'),
          then: {
            properties: { valueHint: VALUE_HINT },
            anyOf: [{ required: ['valueHint'] }, { required: ['value'] }],
            'x-expected': '`value` or `valueHint`',
          },
        },
      ],
    },
  },
};

function hasType(...types: readonly string[]): DocumentSchema {
  return { required: ['type'], properties: { type: { enum: types } } };
}
