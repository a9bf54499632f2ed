import type { BuildFile, BuildInput } from '@portolan/plugin-api';
import { environmentLines, scriptLine } from './dockerfile-lines.ts';
import { systemPackageInvalid } from './scheme-errors.ts';

/** All certificates that an image trusts: those of its base and of the user. */
export const CA_BUNDLE = '/usr/local/share/ca-certificates/portolan-bundle.pem';
const OWN_CERTIFICATES = '/usr/local/share/ca-certificates/portolan.crt';

export interface SystemStage {
  readonly baseImage: string;
  readonly lines: readonly string[];
  readonly files: readonly BuildFile[];
}

/**
 * Contains the base image as `ARG BASE`, the user's variables, certificates and system packages. Node, npm,
 * Python, pip, uv, git and OpenSSL trust the certificates in every later stage. Throws ERR_SETTING.
 */
export function planSystemStage(input: BuildInput, usualBase: string): SystemStage {
  const { baseImage = usualBase, addedPackages, environment, caCertificates } = input;
  for (const name of addedPackages) if (!SYSTEM_PACKAGE.test(name)) throw systemPackageInvalid(name);
  return {
    baseImage,
    lines: [
      `ARG BASE=${baseImage}`,
      'FROM ${BASE} AS system',
      'USER 0:0',
      ...environmentLines(environment),
      ...(caCertificates === undefined ? [] : TRUST_LINES),
      ...(addedPackages.length === 0 ? [] : [scriptLine(ADD_PACKAGES, addedPackages)]),
    ],
    files:
      caCertificates === undefined ? [] : [{ path: 'portolan.crt', mode: 0o644, content: caCertificates }],
  };
}

const SYSTEM_PACKAGE = /^[a-zA-Z0-9][a-zA-Z0-9._+-]{0,127}$/;

/** Variables that name the bundle. Node.js adds it to its own roots; other tools use only the bundle. */
export const CA_VARIABLES: Readonly<Record<string, string>> = {
  NODE_EXTRA_CA_CERTS: CA_BUNDLE,
  npm_config_cafile: CA_BUNDLE,
  SSL_CERT_FILE: CA_BUNDLE,
  PIP_CERT: CA_BUNDLE,
  REQUESTS_CA_BUNDLE: CA_BUNDLE,
  GIT_SSL_CAINFO: CA_BUNDLE,
};

/**
 * Script that creates the bundle from the base image's trusted certificates and the user's. It also replaces
 * the system's own file, which package tools read.
 */
const MAKE_BUNDLE: readonly string[] = [
  'set -eu',
  `own=${OWN_CERTIFICATES} bundle=${CA_BUNDLE} system=/etc/ssl/certs/ca-certificates.crt`,
  'if [ -s "$system" ]; then cat "$system"',
  'elif [ -s /etc/ssl/cert.pem ]; then cat /etc/ssl/cert.pem',
  `elif command -v node >/dev/null 2>&1; then node -p 'require("node:tls").rootCertificates.join("\\n")'`,
  `elif python3 -c 'import pip._vendor.certifi' 2>/dev/null; then python3 -c 'import pip._vendor.certifi as c; print(open(c.where()).read())'`,
  'fi > "$bundle"',
  'cat "$own" >> "$bundle"',
  'if command -v update-ca-certificates >/dev/null 2>&1; then update-ca-certificates >/dev/null 2>&1 || true',
  'elif [ -s "$system" ]; then cat "$own" >> "$system"; fi',
  'chmod 0644 "$own" "$bundle"',
];

const TRUST_LINES: readonly string[] = [
  `COPY portolan.crt ${OWN_CERTIFICATES}`,
  scriptLine(MAKE_BUNDLE),
  ...environmentLines(CA_VARIABLES),
];

/** Script that installs system packages with the package manager that the image has. */
const ADD_PACKAGES: readonly string[] = [
  'set -eu',
  'if command -v apk >/dev/null 2>&1; then exec apk add --no-cache -- "$@"; fi',
  'if ! command -v apt-get >/dev/null 2>&1; then',
  '  echo "portolan: the base image has neither apk nor apt-get, so no system packages can be added" >&2; exit 1',
  'fi',
  'export DEBIAN_FRONTEND=noninteractive',
  'apt-get update',
  'apt-get install -y --no-install-recommends -- "$@"',
  'rm -rf /var/lib/apt/lists/*',
];
