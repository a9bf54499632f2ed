import type { ShippedKinds } from '@portolan/kernel';

/**
 * Names of the kinds that Portolan ships, with the package of each. A package is imported when a
 * configuration or a workload uses one of its kinds.
 */
export const SHIPPED_KINDS: Required<ShippedKinds> = {
  sources: {
    api: '@portolan/source-api',
    file: '@portolan/source-file',
    git: '@portolan/source-git',
    kubernetes: '@portolan/source-kubernetes',
    managed: '@portolan/source-managed',
  },
  authProviders: {
    oauth: '@portolan/auth-oauth',
    anonymous: '@portolan/auth-anonymous',
    'local-user': { package: '@portolan/auth-local-user', hosts: ['workload'] },
  },
  middleware: { audit: '@portolan/middleware-audit' },
  runtimes: { docker: '@portolan/runtime-docker' },
  transports: {
    stdio: { package: '@portolan/transport-stdio', carries: 'messages' },
    sse: { package: '@portolan/transport-sse', carries: 'http' },
    'streamable-http': { package: '@portolan/transport-streamable-http', carries: 'http' },
  },
  schemes: {
    npx: { package: '@portolan/scheme-npx', packages: 'npm' },
    uvx: { package: '@portolan/scheme-uvx', packages: 'python' },
    go: { package: '@portolan/scheme-go', packages: 'go' },
  },
  secretStores: {
    encrypted: '@portolan/secret-store-encrypted',
    environment: '@portolan/secret-store-environment',
    '1password': '@portolan/secret-store-onepassword',
  },
  telemetry: { otlp: '@portolan/telemetry-otlp' },
  proxyMiddleware: {
    audit: '@portolan/middleware-audit',
    cedar: '@portolan/proxy-authorization-cedar',
    'decision-point': '@portolan/proxy-authorization-cedar',
    'rate-limit': '@portolan/proxy-rate-limit',
    'token-exchange': '@portolan/proxy-token-exchange',
    'tool-filter': '@portolan/proxy-tool-filter',
    'mutating-webhooks': '@portolan/proxy-webhooks',
    'validating-webhooks': '@portolan/proxy-webhooks',
    telemetry: '@portolan/telemetry-otlp',
    'trace-context': '@portolan/telemetry-otlp',
  },
  outgoingCredentials: { oauth: '@portolan/credentials-oauth' },
  toolIndexes: { bm25: '@portolan/tool-index-bm25' },
  pages: { 'web-console': '@portolan/web-console' },
  sessionStores: { redis: '@portolan/session-store-redis', rediss: '@portolan/session-store-redis' },
};

/** Module from which the shipped packages are resolved; they are dependencies of this package. */
export const SHIPPED_FROM = import.meta.url;
