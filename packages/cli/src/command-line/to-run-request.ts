import type { RunFlags, RunRequest } from '@portolan/run-spec';

/** Values of the flags of `run`, as the parser hands them over; undefined where a flag was not given. */
export interface RunFlagValues {
  readonly name?: string | undefined;
  readonly group?: string | undefined;
  readonly label?: readonly string[] | undefined;
  readonly env?: readonly string[] | undefined;
  readonly 'env-file'?: string | undefined;
  readonly 'env-file-dir'?: string | undefined;
  readonly secret?: readonly string[] | undefined;
  readonly volume?: readonly string[] | undefined;
  readonly publish?: readonly string[] | undefined;
  readonly network?: string | undefined;
  readonly 'isolate-network'?: boolean | undefined;
  readonly 'allow-container-gateway'?: boolean | undefined;
  readonly 'permission-profile'?: string | undefined;
  readonly 'from-config'?: string | undefined;
  readonly 'image-verification'?: string | undefined;
  readonly 'ignore-globally'?: boolean | undefined;
  readonly 'print-resolved-overlays'?: boolean | undefined;
  readonly 'ca-cert'?: string | undefined;
  readonly 'runtime-image'?: string | undefined;
  readonly 'runtime-add-package'?: readonly string[] | undefined;
  readonly 'build-with'?: readonly string[] | undefined;
  readonly transport?: string | undefined;
  readonly 'proxy-mode'?: string | undefined;
  readonly 'proxy-port'?: number | undefined;
  readonly host?: string | undefined;
  readonly 'target-host'?: string | undefined;
  readonly 'target-port'?: number | undefined;
  readonly 'endpoint-prefix'?: string | undefined;
  readonly 'session-ttl'?: number | undefined;
  readonly 'trust-proxy-headers'?: boolean | undefined;
  readonly 'stdio-sessions'?: string | undefined;
  readonly 'allowed-origins'?: readonly string[] | undefined;
  readonly 'remote-forward-headers'?: readonly string[] | undefined;
  readonly 'remote-forward-headers-secret'?: readonly string[] | undefined;
}

/** What the command line asks for. A field is there only when its flag was given. */
export function toRunRequest(
  target: string | undefined,
  values: RunFlagValues,
  args: readonly string[],
): RunRequest {
  const fromConfig = values['from-config'];
  return {
    target,
    ...(fromConfig === undefined ? {} : { fromConfig }),
    args,
    flags: { ...containerFields(values), ...transportFields(values) },
  };
}

function containerFields(values: RunFlagValues): RunFlags {
  return given({
    name: values.name,
    group: values.group,
    labels: values.label,
    env: values.env,
    envFile: values['env-file'],
    envFileDir: values['env-file-dir'],
    secrets: values.secret,
    volumes: values.volume,
    publish: values.publish,
    network: values.network,
    isolateNetwork: values['isolate-network'],
    allowContainerGateway: values['allow-container-gateway'],
    permissionProfile: values['permission-profile'],
    imageVerification: values['image-verification'],
    ignoreGlobally: values['ignore-globally'],
    printResolvedOverlays: values['print-resolved-overlays'],
    caCert: values['ca-cert'],
    runtimeImage: values['runtime-image'],
    runtimeAddPackages: values['runtime-add-package'],
    buildWith: values['build-with'],
  });
}

function transportFields(values: RunFlagValues): RunFlags {
  return given({
    transport: values.transport,
    proxyMode: values['proxy-mode'],
    proxyPort: values['proxy-port'],
    host: values.host,
    targetHost: values['target-host'],
    targetPort: values['target-port'],
    endpointPrefix: values['endpoint-prefix'],
    sessionTtlMs: values['session-ttl'],
    trustProxyHeaders: values['trust-proxy-headers'],
    stdioSessions: values['stdio-sessions'],
    allowedOrigins: values['allowed-origins'],
    remoteForwardHeaders: values['remote-forward-headers'],
    remoteForwardHeadersSecret: values['remote-forward-headers-secret'],
  });
}

type Given<Fields> = { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> };

/** The fields that have a value. */
function given<Fields extends object>(fields: Fields): Given<Fields> {
  // What is left out here is what the type leaves out.
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined),
  ) as Given<Fields>;
}
