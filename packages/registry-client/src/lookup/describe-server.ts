import type { JsonObject } from '@portolan/plugin-api';
import { findExtension, memberOf, toolNamesOf, objectsIn, textMember, textsIn } from '@portolan/run-spec';
import { nameOfServer, type RegistryServer } from './registry-server.ts';

export interface ListedServer {
  readonly name: string;
  readonly title: string | undefined;
  readonly description: string;
  readonly version: string | undefined;
  readonly type: 'container' | 'package' | 'remote' | 'other';
  readonly transport: string | undefined;
  readonly tier: string | undefined;
  readonly stars: number | undefined;
  readonly status: string;
  readonly repository: string | undefined;
  readonly tools: readonly string[];
  readonly tags: readonly string[];
}

/** Describes a server for lists. Never throws, because servers that cannot run are listed too. */
export function describeServer(server: RegistryServer): ListedServer {
  const { document } = server;
  const { type, runs } = formOf(document);
  const keys = [textMember(runs, 'url'), textMember(runs, 'identifier')].flatMap((key) => key ?? []);
  const extension = findExtension(document, keys);
  const stars = memberOf(memberOf(extension, 'metadata'), 'stars');
  const transport = type === 'remote' ? runs : memberOf(runs, 'transport');
  return {
    name: nameOfServer(server),
    title: textMember(document, 'title'),
    description: textMember(document, 'description') ?? '',
    version: textMember(document, 'version'),
    type,
    transport: textMember(transport, 'type'),
    tier: textMember(extension, 'tier'),
    stars: typeof stars === 'number' ? stars : undefined,
    status: server.status,
    repository: textMember(memberOf(document, 'repository'), 'url'),
    tools: toolNamesOf(document, extension) ?? [],
    tags: textsIn(extension, 'tags'),
  };
}

function formOf(document: JsonObject): Pick<ListedServer, 'type'> & { readonly runs: unknown } {
  const [remote] = objectsIn(document, 'remotes');
  if (remote !== undefined) return { type: 'remote', runs: remote };
  const packages = objectsIn(document, 'packages');
  const typed = (...types: readonly string[]): unknown =>
    packages.find((item) => types.includes(textMember(item, 'registryType') ?? ''));
  const image = typed('oci');
  if (image !== undefined) return { type: 'container', runs: image };
  const indexed = typed('npm', 'pypi');
  return indexed === undefined ? { type: 'other', runs: packages[0] } : { type: 'package', runs: indexed };
}
