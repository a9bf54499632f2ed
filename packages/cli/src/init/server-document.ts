import { LATEST_SERVER_SCHEMA } from '@portolan/entry-format';
import type { JsonObject } from '@portolan/plugin-api';
import { isRemote } from './find-fact-faults.ts';
import type { ServerFacts } from './server-facts.ts';

/** Creates the document from facts, without unknown members. */
export function serverDocument(facts: ServerFacts): JsonObject {
  const { name, title, description, repository, websiteUrl, version, runs, transport } = facts;
  const remotes = runs.filter(isRemote);
  const packages = runs.filter((text) => !isRemote(text));
  const inputs = inputsOf(facts);
  return {
    $schema: LATEST_SERVER_SCHEMA,
    ...withoutNothing({ name, title, description, version }),
    ...(repository === undefined ? {} : { repository: repositoryOf(repository) }),
    ...withoutNothing({ websiteUrl }),
    ...(packages.length === 0
      ? {}
      : { packages: packages.map((text) => packageOf(text, transport, inputs)) }),
    ...(remotes.length === 0
      ? {}
      : { remotes: remotes.map((url) => ({ type: remoteTransport(transport), url })) }),
  };
}

function withoutNothing(members: Readonly<Record<string, string | undefined>>): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

function remoteTransport(transport: string | undefined): string {
  return transport === undefined || transport === 'stdio' ? 'streamable-http' : transport;
}

const TYPES: ReadonlyMap<string, { readonly registryType: string; readonly runtimeHint: string }> = new Map([
  ['npx', { registryType: 'npm', runtimeHint: 'npx' }],
  ['uvx', { registryType: 'pypi', runtimeHint: 'uvx' }],
]);

function packageOf(text: string, transport: string | undefined, inputs: readonly JsonObject[]): JsonObject {
  const [, scheme = '', rest = text] = /^([a-z][a-z0-9+.-]*):\/\/(.*)$/s.exec(text) ?? [];
  const type = TYPES.get(scheme);
  const ends = {
    transport: transportOf(transport),
    ...(inputs.length === 0 ? {} : { environmentVariables: inputs }),
  };
  if (type === undefined) return { registryType: 'oci', identifier: text, ...ends };
  // Skip the first character, because a scope begins with the same `@` as a version.
  const at = rest.indexOf('@', 1);
  const [identifier, version] = at < 0 ? [rest, undefined] : [rest.slice(0, at), rest.slice(at + 1)];
  const { registryType, runtimeHint } = type;
  return { registryType, identifier, ...withoutNothing({ version }), runtimeHint, ...ends };
}

/** Returns the transport. The port is that of common examples, because each package chooses its own. */
function transportOf(transport: string | undefined): JsonObject {
  if (transport === undefined || transport === 'stdio') return { type: 'stdio' };
  return { type: transport, url: `http://127.0.0.1:8080/${transport === 'sse' ? 'sse' : 'mcp'}` };
}

function inputsOf({ variables, secrets }: ServerFacts): readonly JsonObject[] {
  return [
    ...variables.filter((name) => !secrets.includes(name)).map((name) => ({ name, isRequired: true })),
    ...secrets.map((name) => ({ name, isRequired: true, isSecret: true })),
  ];
}

function repositoryOf(url: string): JsonObject {
  const host = URL.parse(url)?.hostname.replace(/^www\./, '') ?? '';
  return { url, source: host.replace(/\.com$/, '') };
}
