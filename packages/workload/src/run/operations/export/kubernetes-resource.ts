import type { JsonObject } from '@portolan/plugin-api';
import { type RunConfig, isVirtualServer, parseVolume, textMember, textsIn } from '@portolan/run-spec';
import { notExportable } from '../../run-errors.ts';
import { cedarOf } from './cedar-of.ts';
import { notExported } from './not-exported.ts';

export interface KubernetesResource {
  readonly resource: JsonObject;
  readonly warnings: readonly string[];
}

/**
 * Returns a workload as the MCPServer resource of ToolHive's operator. Throws ERR_NOT_EXPORTABLE for a remote
 * workload and for one without an image.
 */
export function kubernetesResource(config: RunConfig): KubernetesResource {
  if (config.remote_url !== '') throw notExportable(config.name, 'it is a remote server');
  if (isVirtualServer(config)) throw notExportable(config.name, 'it is a virtual server');
  if (config.image === '') throw notExportable(config.name, 'it has no image');
  const named = config.base_name || config.container_name || config.name;
  return {
    resource: {
      apiVersion: 'toolhive.stacklok.dev/v1beta1',
      kind: 'MCPServer',
      metadata: { name: resourceName(named) },
      spec: { ...serverSpec(config), ...containerSpec(config), ...policySpec(config) },
    },
    warnings: notExported(config),
  };
}

/** Returns a workload's name as a valid DNS name (RFC 1123). */
function resourceName(name: string): string {
  const text = name.toLowerCase().replaceAll(/[^a-z0-9-]/g, '-');
  return text.replace(/^-+/, '').slice(0, 253).replace(/-+$/, '');
}

function serverSpec(config: RunConfig): JsonObject {
  const { image, transport, proxy_mode: mode, cmd_args: args, port, target_port: targetPort } = config;
  return {
    image,
    transport,
    ...(transport === 'stdio' && mode !== '' ? { proxyMode: mode } : {}),
    ...(args.length === 0 ? {} : { args: [...args] }),
    ...(port > 0 ? { proxyPort: port } : {}),
    ...(targetPort > 0 ? { mcpPort: targetPort } : {}),
  };
}

function containerSpec({ env_vars: variables, volumes }: RunConfig): JsonObject {
  const env = Object.entries(variables).map(([name, value]) => ({ name, value }));
  const mounts = volumes.flatMap((text, index) => {
    const { host, volume, container, readOnly } = parseVolume(text, `volumes[${index}]`, {
      workingDirectory: '/',
      home: '/',
    });
    if (volume !== undefined) return [];
    return { name: `volume-${index}`, hostPath: host, mountPath: container, readOnly };
  });
  return { ...(env.length === 0 ? {} : { env }), ...(mounts.length === 0 ? {} : { volumes: mounts }) };
}

function policySpec(config: RunConfig): JsonObject {
  const cedar = cedarOf(config.authz_config);
  return {
    ...(config.permission_profile === undefined
      ? {}
      : { permissionProfile: { type: 'builtin', name: 'none' } }),
    ...(cedar === undefined
      ? {}
      : {
          authzConfig: {
            type: 'inline',
            inline: {
              policies: [...textsIn(cedar, 'policies')],
              entitiesJson: textMember(cedar, 'entities_json') ?? '[]',
            },
          },
        }),
    ...(config.audit_config === undefined ? {} : { audit: { enabled: true } }),
  };
}
