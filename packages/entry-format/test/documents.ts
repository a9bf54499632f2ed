import type { JsonObject } from '@portolan/plugin-api';
import { LATEST_SERVER_SCHEMA } from '@portolan/entry-format';

/** A server document without any issue, with members replaced or added. */
export function serverDocument(members: JsonObject = {}): JsonObject {
  return {
    $schema: LATEST_SERVER_SCHEMA,
    name: 'com.acme/notes',
    description: 'Notes service',
    version: '2.1.0',
    ...members,
  };
}

/** A server document with one package of type npm, with members replaced or added. */
export function documentWithPackage(members: JsonObject = {}): JsonObject {
  return serverDocument({
    packages: [
      {
        registryType: 'npm',
        identifier: 'notes',
        version: '2.1.0',
        transport: { type: 'stdio' },
        ...members,
      },
    ],
  });
}

/** A server document with one remote, with members replaced or added. */
export function documentWithRemote(members: JsonObject = {}): JsonObject {
  return serverDocument({
    remotes: [{ type: 'streamable-http', url: 'https://mcp.acme.example/mcp', ...members }],
  });
}

/** A skill without any issue, with members replaced or added. */
export function skillDocument(members: JsonObject = {}): JsonObject {
  return { namespace: 'com.acme', name: 'triage', description: 'Sort tickets', version: '0.3.0', ...members };
}
