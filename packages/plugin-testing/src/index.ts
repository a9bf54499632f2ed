export { answeringFetch } from './answering-fetch.ts';
export { bootTestKernel } from './boot-test-kernel.ts';
export type { TestKernelOptions } from './boot-test-kernel.ts';
export { findConfigBlockProblems } from './config-block-problems.ts';
export { authProviderCases, authProviderContract } from './contracts/auth-provider.ts';
export {
  type AuthProviderUnderTest,
  type LoginsUnderTest,
  type KoaApplication,
} from './contracts/auth-provider-under-test.ts';
export { type ContractCase } from './contracts/contract-case.ts';
export {
  engineCases,
  engineContract,
  type EngineCommands,
  type EngineUnderTest,
} from './contracts/engine.ts';
export {
  outgoingCredentialsCases,
  outgoingCredentialsContract,
  type OutgoingCredentialsUnderTest,
} from './contracts/outgoing-credentials.ts';
export { pagesCases, pagesContract, type PagesUnderTest } from './contracts/pages.ts';
export {
  proxyMiddlewareCases,
  proxyMiddlewareContract,
  type JudgedSample,
  type ProxyMiddlewareUnderTest,
} from './contracts/proxy-middleware.ts';
export { schemeCases, schemeContract, type SchemeUnderTest } from './contracts/scheme.ts';
export {
  secretStoreCases,
  secretStoreContract,
  type SecretStoreUnderTest,
} from './contracts/secret-store.ts';
export {
  sessionStoreCases,
  sessionStoreContract,
  type SessionStoreUnderTest,
} from './contracts/session-store.ts';
export { sourceCases, sourceContract } from './contracts/source.ts';
export { type SourceUnderTest } from './contracts/source-under-test.ts';
export { telemetryCases, telemetryContract } from './contracts/telemetry.ts';
export {
  type CollectedMetric,
  type CollectedSpan,
  type TelemetryEndpoint,
  type TelemetryUnderTest,
} from './contracts/telemetry-under-test.ts';
export { toolIndexCases, toolIndexContract, type ToolIndexUnderTest } from './contracts/tool-index.ts';
export {
  transportCases,
  transportContract,
  type MessageWire,
  type TransportUnderTest,
} from './contracts/transport.ts';
export { hostCases, hostContract, type HostedProgram, type HostUnderTest } from './contracts/host.ts';
export { eventually, inTime } from './eventually.ts';
export type { Deadline } from './eventually.ts';
export { FakeAttachment } from './fake-attachment.ts';
export { FakeClock } from './fake-clock.ts';
export { openTestWorkloadKernel } from './open-test-workload-kernel.ts';
export type { TestWorkloadKernelOptions } from './open-test-workload-kernel.ts';
export { renderFieldTable } from './field-table.ts';
export { leavesNothingOpen } from './leaves-nothing-open.ts';
export { MemorySecretFiles } from './memory-secret-files.ts';
export { readContext } from './read-context.ts';
export { createRecordingLogger } from './recording-logger.ts';
export type { LogLine, RecordingLogger } from './recording-logger.ts';
export { engineOf, runtimeOfEngine } from './runtime-of-engine.ts';
export { createTestContext, createTestCredentialsContext, createTestProxyContext } from './test-context.ts';
export { startTestIssuer, TEST_ISSUER_ENDPOINTS } from './test-issuer.ts';
export type {
  TestIssuer,
  TestIssuerEndpoint,
  TestIssuerOptions,
  TestIssuerRequest,
} from './test-issuer.ts';
export { TEST_ALGORITHMS } from './test-token.ts';
export type { TestAlgorithm, TestTokenOptions } from './test-token.ts';
