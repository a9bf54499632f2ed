export { API_VERSION } from './api-version.ts';
export { BatchedWork } from './batched-work.ts';
export { ROLES } from './claims.ts';
export type { BrowserSessions } from './kinds/browser-sessions.ts';
export type { LoginAttempt, BrowserLogin, LoginTokens } from './kinds/browser-login.ts';
export type { Caller, ClaimSet, Identity, ResourceClaims, Role } from './claims.ts';
export type { ConfigBlock, ConfigOf } from './config-schema.ts';
export type {
  ContainerExit,
  ContainerLimits,
  ContainerMount,
  ContainerNetwork,
  ContainerPort,
  ContainerSpec,
} from './container.ts';
export { parseDuration } from './duration.ts';
export { ENTRY_STATUSES, ENTRY_TYPES } from './entry.ts';
export type { Entry, EntryStatus, EntryType, JsonObject } from './entry.ts';
export { findGroupOverage } from './group-overage.ts';
export { BUILT_IN_TAPS } from './hooks.ts';
export type {
  AccessRecord,
  AccessTarget,
  BuiltInTap,
  FilterTapOptions,
  Hooks,
  PublishRequest,
  SyncRecord,
  Tappable,
  TappableFilter,
  TappableHooks,
} from './hooks.ts';
export { findPathFault, joinAddress, resolveReference } from './join-address.ts';
export { isJsonObject, memberOf, soleMemberOf } from './json-object.ts';
export type {
  AuthProvider,
  AuthProviderKind,
  OnlineCheckContext,
  LoginToken,
  ProtectedResource,
  PublicClient,
  TokenVerdict,
} from './kinds/auth-provider.ts';
export type { Denial } from './kinds/denial.ts';
export { HOSTS } from './kinds/host.ts';
export type { Host } from './kinds/host.ts';
export type { Kind, KindProblem } from './kinds/kind.ts';
export type { MiddlewareKind, PlacedMiddleware } from './kinds/middleware.ts';
export type {
  ApiResponse,
  ApiRequest,
  OpenPages,
  PageResponse,
  PageRequest,
  PageRoute,
  Pages,
  PagesKind,
  PagesContext,
  PublishedDemands,
} from './kinds/pages.ts';
export type {
  ClientExchange,
  ClientMessage,
  ClientProgram,
  ClientRequest,
  NotificationView,
  RequestView,
  ResponseView,
  ServerMessage,
} from './kinds/proxy-exchange.ts';
export { bareListChange, CHANGING_SLOTS, mayChange, PROXY_SLOTS } from './kinds/proxy-middleware.ts';
export type {
  ClientVerdict,
  MessageChange,
  ResponseHead,
  DriftEvent,
  MadeRefusal,
  ServedResponse,
  ServedPath,
  ProxyMiddleware,
  ProxyMiddlewareContext,
  ProxyMiddlewareKind,
  ProxySlot,
  Refusal,
  RequestEnd,
  ServerVerdict,
} from './kinds/proxy-middleware.ts';
export type { ProxiedWorkload, ProxyContext } from './kinds/proxy-context.ts';
export type {
  Attachment,
  ContainerDescription,
  ContainerEngine,
  ContainerRuntime,
  ContainerState,
  EngineDescription,
  LogLine,
  LogOptions,
  NetworkDescription,
  Runtime,
  RuntimeKind,
  StopOptions,
  VolumeDescription,
  WorkloadRuntime,
} from './kinds/runtime.ts';
export type {
  BuildImageOptions,
  ImageDescription,
  ImageProgress,
  ImportImageOptions,
  ProvideImageOptions,
  RegistryCredentials,
} from './kinds/engine-images.ts';
export type { Labels } from './container.ts';
export { AUTH_FILES, BUILD_LABEL } from './kinds/scheme.ts';
export type {
  AuthFileName,
  BuildFile,
  BuildFolder,
  BuildHost,
  BuildInput,
  BuildPlan,
  BuildPreparation,
  Ecosystem,
  IndexedPackage,
  PackageParser,
  PackageReference,
  Scheme,
  SchemeKind,
  SchemeOptions,
} from './kinds/scheme.ts';
export type {
  SecretAbility,
  SecretFiles,
  SecretListing,
  SecretStore,
  SecretStoreContext,
  SecretStoreKind,
  SecretStoreHostContext,
} from './kinds/secret-store.ts';
export type {
  CredentialsState,
  HandedToken,
  StoredClient,
  StoredTokens,
  StoredRegistration,
  OutgoingCredentialsContext,
  OutgoingCredentialsKind,
  OutgoingCredentialsHostContext,
  RemoteServer,
  RenewedLogin,
  WorkloadLogin,
} from './kinds/outgoing-credentials.ts';
export type {
  StoredSession,
  SessionStore,
  SessionStoreContext,
  SessionStoreKind,
  SessionStoreHostContext,
} from './kinds/session-store.ts';
export type {
  ChangeItem,
  OfficialFacts,
  ReadItem,
  ReadContext,
  RemovedEntry,
  ScopesRead,
  ScratchFolder,
  SkippedEntry,
  Source,
  SourceCursor,
  SourceRevision,
  SourceEntry,
  SourceKind,
  SourceReach,
  StartOver,
} from './kinds/source.ts';
export type { ReachedHost } from './find-route.ts';
export type {
  RunningTelemetry,
  Telemetry,
  TelemetryKind,
  TelemetryOptions,
} from './kinds/telemetry.ts';
export type { BuiltToolIndex, IndexedTool, ToolIndex, ToolIndexKind } from './kinds/tool-index.ts';
export type {
  HttpTransport,
  MessageConnection,
  MessageOptions,
  MessageTransport,
  Transport,
  TransportKind,
  TransportSetup,
} from './kinds/transport.ts';
export type { OverlongMessage } from './server-backend.ts';
export type { ReceivedMessage } from './server-backend.ts';
export { HOST_PROTECTIONS } from './kinds/workload-host.ts';
export type {
  HostDescription,
  HostedExit,
  HostedOutbound,
  HostedServer,
  HostedServerDescription,
  HostedServerEvents,
  HostProtection,
  OpenServer,
  RemoveServerOptions,
  WorkloadHost,
} from './kinds/workload-host.ts';
export { nearest } from './nearest.ts';
export type { FindRoute, Route } from './find-route.ts';
export type { FetchOptions, OpenFetch } from './open-fetch.ts';
export type { Contributions, Plugin } from './plugin.ts';
export type { Logger, PluginContext } from './plugin-context.ts';
export { ERROR_CLASSES, errorClassOf, isPortolanError, PortolanError } from './portolan-error.ts';
export type { ErrorClass, PortolanErrorDetails } from './portolan-error.ts';
export { LogOutput, standardError } from './log-output.ts';
export type { LogForm } from './log-output.ts';
export { Semaphore } from './semaphore.ts';
export type {
  CredentialsRefusal,
  ForwardedHeader,
  HttpBackend,
  MessageBackend,
  RequestAtRest,
  MessageSender,
  OpenConnection,
  OutgoingCredentials,
  OutgoingRequest,
  ServerBackend,
  ServerConnection,
} from './server-backend.ts';
export type {
  Distribution,
  HistogramMetric,
  Metric,
  MetricPoint,
  MetricSnapshot,
  NumberMetric,
} from './telemetry/metrics.ts';
export {
  metricFamilyName,
  METRICS_CONTENT_TYPES,
  type MetricsFormat,
  prometheusName,
  writeMetrics,
} from './telemetry/write-metrics.ts';
export type {
  Attributes,
  FinishedSpan,
  Span,
  SpanIds,
  SpanKind,
  SpanStart,
  TraceHeaders,
  Tracer,
} from './telemetry/tracer.ts';
export { DescriptorBudget, type DescriptorReserve, reserveDescriptors } from './reserve-descriptors.ts';
export { readSmallFile, readSmallFileSync } from './small-file.ts';
export { untilAborted } from './until-aborted.ts';
export { UndoStack } from './undo-stack.ts';
