import type { JsonObject } from '@portolan/plugin-api';
import type { RunConfig } from '@portolan/run-spec';
import { memberOf, parseVolume, textMember } from '@portolan/run-spec';
import { notExportable } from '../run-errors.ts';

export interface KubernetesResource {
  readonly resource: JsonObject;
  /** A sentence for each thing of the workload that the resource does not have. */
  readonly warnings: readonly string[];
}

/**
 * A workload as the custom resource that operators of the reference
 * implementation read. Throws ERR_NOT_EXPORTABLE for remote workloads and such
 * without an image.
 */
export function kubernetesResource(config: RunConfig): KubernetesResource {
  if (config.remote_url !== '') throw notExportable(config.name, 'it is a remote server');
  if (config.image === '') throw notExportable(config.name, 'it has no image');
  const named = config.base_name || config.container_name || config.name;
  return {
    resource: {
      apiVersion: 'toolhive.stacklok.dev/v1beta1',
      kind: 'MCPServer',
      metadata: { name: resourceName(named) },
      spec: { ...serverSpec(config), ...containerSpec(config), ...policySpec(config) },
    },
    warnings: warningsOf(config),
  };
}

/** A DNS name (RFC 1123). */
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
  const mounts = volumes.map((text, index) => {
    const { host, container, readOnly } = parseVolume(text, `volumes[${index}]`, {
      workingDirectory: '/',
      home: '/',
    });
    return { name: `volume-${index}`, hostPath: host, mountPath: container, readOnly };
  });
  return { ...(env.length === 0 ? {} : { env }), ...(mounts.length === 0 ? {} : { volumes: mounts }) };
}

function policySpec(config: RunConfig): JsonObject {
  const cedar = memberOf(config.authz_config, 'cedar');
  const policies = memberOf(cedar, 'policies');
  return {
    ...(config.permission_profile === undefined
      ? {}
      : { permissionProfile: { type: 'builtin', name: 'none' } }),
    ...(Array.isArray(policies)
      ? {
          authzConfig: {
            type: 'inline',
            inline: {
              policies: policies.filter((policy) => typeof policy === 'string'),
              entitiesJson: textMember(cedar, 'entities_json') ?? '[]',
            },
          },
        }
      : {}),
    ...(config.audit_config === undefined ? {} : { audit: { enabled: true } }),
  };
}

function warningsOf(config: RunConfig): readonly string[] {
  const { secrets, header_forward: headers, runtime_config: runtime } = config;
  const left: readonly (readonly [isThere: boolean, what: string])[] = [
    [secrets.length > 0, `Secrets are not exported: ${secrets.map((text) => text.split(',')[0]).join(', ')}`],
    [config.telemetry_config !== undefined, 'Telemetry is not exported'],
    [config.oidc_config !== undefined, 'The OIDC configuration is not exported'],
    [
      config.permission_profile !== undefined,
      'The permission profile is not translated: the resource names the built-in profile none',
    ],
    [
      config.tools_filter.length > 0 || Object.keys(config.tools_override).length > 0,
      'Tool filters and overrides are not exported',
    ],
    [config.validating_webhooks.length + config.mutating_webhooks.length > 0, 'Webhooks are not exported'],
    [config.additional_middleware_configs.length > 0, 'Proxy middleware is not exported'],
    [headers !== undefined, 'Forwarded headers are not exported'],
    [config.publish.length > 0, 'Published ports are not exported'],
    [
      runtime !== undefined || config.image.startsWith('portolanlocal/'),
      'The image was built on this machine: a cluster has to be given it',
    ],
  ];
  return left.filter(([isThere]) => isThere).map(([, what]) => `${what}.`);
}
