/**
 * What the user asked for on the command line, typed; no argv in it. A field is
 * there only when its flag was given: that is what `--from-config` refuses, and
 * what ranks over registry, user settings and defaults.
 */
export interface RunRequest {
  readonly target: string | undefined;
  readonly fromConfig?: string;
  /** What stood behind `--`. */
  readonly args: readonly string[];
  readonly flags: RunFlags;
}

/** Values as they were typed, but for numbers, durations (milliseconds) and truth values. */
export interface RunFlags {
  readonly name?: string;
  readonly group?: string;
  readonly labels?: readonly string[];
  readonly env?: readonly string[];
  readonly envFile?: string;
  readonly envFileDir?: string;
  readonly secrets?: readonly string[];
  readonly volumes?: readonly string[];
  readonly publish?: readonly string[];
  readonly network?: string;
  readonly isolateNetwork?: boolean;
  readonly allowContainerGateway?: boolean;
  readonly permissionProfile?: string;
  readonly imageVerification?: string;
  readonly ignoreGlobally?: boolean;
  readonly printResolvedOverlays?: boolean;
  readonly caCert?: string;
  readonly runtimeImage?: string;
  readonly runtimeAddPackages?: readonly string[];
  readonly buildWith?: readonly string[];
  readonly transport?: string;
  readonly proxyMode?: string;
  readonly proxyPort?: number;
  readonly host?: string;
  readonly targetHost?: string;
  readonly targetPort?: number;
  readonly endpointPrefix?: string;
  readonly sessionTtlMs?: number;
  readonly trustProxyHeaders?: boolean;
  readonly stdioSessions?: string;
  readonly allowedOrigins?: readonly string[];
  readonly remoteForwardHeaders?: readonly string[];
  readonly remoteForwardHeadersSecret?: readonly string[];
}

/** The flag of each field, for messages. */
export const FLAG_NAMES: Readonly<Record<keyof RunFlags, string>> = {
  name: '--name',
  group: '--group',
  labels: '--label',
  env: '--env',
  envFile: '--env-file',
  envFileDir: '--env-file-dir',
  secrets: '--secret',
  volumes: '--volume',
  publish: '--publish',
  network: '--network',
  isolateNetwork: '--isolate-network',
  allowContainerGateway: '--allow-container-gateway',
  permissionProfile: '--permission-profile',
  imageVerification: '--image-verification',
  ignoreGlobally: '--ignore-globally',
  printResolvedOverlays: '--print-resolved-overlays',
  caCert: '--ca-cert',
  runtimeImage: '--runtime-image',
  runtimeAddPackages: '--runtime-add-package',
  buildWith: '--build-with',
  transport: '--transport',
  proxyMode: '--proxy-mode',
  proxyPort: '--proxy-port',
  host: '--host',
  targetHost: '--target-host',
  targetPort: '--target-port',
  endpointPrefix: '--endpoint-prefix',
  sessionTtlMs: '--session-ttl',
  trustProxyHeaders: '--trust-proxy-headers',
  stdioSessions: '--stdio-sessions',
  allowedOrigins: '--allowed-origins',
  remoteForwardHeaders: '--remote-forward-headers',
  remoteForwardHeadersSecret: '--remote-forward-headers-secret',
};
