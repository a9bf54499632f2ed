import {
  isSemanticVersion,
  LATEST_SERVER_SCHEMA,
  PUBLISHER_PROVIDED,
  shortDescription,
  STACKLOK,
} from '@portolan/entry-format';
import type { JsonObject, SourceEntry } from '@portolan/plugin-api';
import { type ClusterObject, textOf } from './cluster-object.ts';
import type { Annotations } from './read-annotations.ts';
import type { Resource } from './resource.ts';

const DEFAULT_VERSION = '1.0.0';
const DEFAULT_PORT = 8080;
const PACKAGE_TRANSPORTS = ['stdio', 'sse', 'streamable-http'];

/** Returns the server document of an object, and its claims, which only the annotation determines. */
export function entryOf(
  entryName: string,
  object: ClusterObject,
  resource: Resource,
  annotations: Annotations,
): Required<Pick<SourceEntry, 'document' | 'claims'>> {
  const { url, title, icon, description, claims } = annotations;
  const image = textOf(object.spec['image']);
  const document: JsonObject = {
    $schema: LATEST_SERVER_SCHEMA,
    name: entryName,
    description: shortDescription(description),
    ...(title === undefined ? {} : { title }),
    version: versionOf(annotations.version, image),
    ...(icon === undefined ? {} : { icons: [{ src: icon }] }),
    ...(image === undefined ? {} : packagesOf(image, object.spec)),
    remotes: [{ type: 'streamable-http', url }],
    _meta: { [PUBLISHER_PROVIDED]: { [STACKLOK]: { [url]: extensionOf(object, resource, annotations) } } },
  };
  return { document, claims };
}

function extensionOf(object: ClusterObject, resource: Resource, annotations: Annotations): JsonObject {
  const { namespace, name, uid, spec } = object;
  const { description, category, tools, toolDefinitions } = annotations;
  const image = textOf(spec['image']);
  const transport = textOf(spec['transport']);
  return {
    status: 'active',
    ...(shortDescription(description) === description ? {} : { overview: description }),
    ...(category === undefined ? {} : { tags: [category] }),
    ...(tools === undefined ? {} : { tools }),
    ...(toolDefinitions === undefined ? {} : { tool_definitions: toolDefinitions }),
    metadata: {
      kubernetes: {
        kind: resource.kind,
        namespace,
        name,
        ...(image === undefined ? {} : { image }),
        uid,
        ...(transport === undefined ? {} : { transport }),
      },
    },
  };
}

/** Returns the annotated version if it has three parts, otherwise the image's tag if the tag has three. */
function versionOf(annotated: string | undefined, image: string | undefined): string {
  const tag = /:([^/:]+)$/.exec(image?.split('@')[0] ?? '')?.[1];
  return [annotated, tag].find((one) => one !== undefined && isSemanticVersion(one)) ?? DEFAULT_VERSION;
}

/**
 * Returns the packages of an entry. Empty for a transport that packages do not support; the remote still says
 * how to connect.
 */
function packagesOf(image: string, spec: JsonObject): JsonObject {
  const type = textOf(spec['transport']) ?? 'stdio';
  if (!PACKAGE_TRANSPORTS.includes(type)) return {};
  const port = [spec['mcpPort'], spec['targetPort'], spec['proxyPort'], spec['port']].find(
    (one) => typeof one === 'number',
  );
  const transport = type === 'stdio' ? { type } : { type, url: `http://localhost:${port ?? DEFAULT_PORT}` };
  return { packages: [{ registryType: 'oci', identifier: image, transport }] };
}
