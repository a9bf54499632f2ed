const ADDRESS = /^https:\/\/static\.modelcontextprotocol\.io\/schemas\/([^/]+)\/server\.schema\.json#?$/;

/** Versions of the server.json schema that were published. */
export const SERVER_SCHEMA_VERSIONS: readonly string[] = [
  '2025-07-09',
  '2025-09-16',
  '2025-09-29',
  '2025-10-11',
  '2025-10-17',
  '2025-12-11',
];

/** The one version that writes its members with underscores. */
export const SNAKE_CASE_VERSION = '2025-07-09';

export const LATEST_SERVER_SCHEMA = serverSchemaAddress('2025-12-11');

/** Where the server.json schema of a version is published. */
export function serverSchemaAddress(version: string): string {
  return `https://static.modelcontextprotocol.io/schemas/${version}/server.schema.json`;
}

/** The version in the address of a server.json schema, `draft` included; undefined for any other text. */
export function versionOfServerSchema(address: string): string | undefined {
  return ADDRESS.exec(address)?.[1];
}
