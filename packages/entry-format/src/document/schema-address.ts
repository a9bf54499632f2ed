const ADDRESS = /^https:\/\/static\.modelcontextprotocol\.io\/schemas\/([^/]+)\/server\.schema\.json#?$/;

export const SERVER_SCHEMA_VERSIONS: readonly string[] = [
  '2025-07-09',
  '2025-09-16',
  '2025-09-29',
  '2025-10-11',
  '2025-10-17',
  '2025-12-11',
];

/** The only schema version whose member names have underscores. */
export const SNAKE_CASE_VERSION = '2025-07-09';

export const LATEST_SERVER_SCHEMA = serverSchemaAddress('2025-12-11');

export function serverSchemaAddress(version: string): string {
  return `https://static.modelcontextprotocol.io/schemas/${version}/server.schema.json`;
}

/** Returns the version in a schema address, including `draft`; undefined for other text. */
export function versionOfServerSchema(address: string): string | undefined {
  return ADDRESS.exec(address)?.[1];
}
